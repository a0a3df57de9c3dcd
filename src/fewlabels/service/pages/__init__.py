"""What people see in a browser. Every page shows what the JSON API returns; changes are sent to the API.

One file per page or group of pages; `frame` is what they share.
"""

from fewlabels.service.pages import (
    answers,
    audit,
    errors,
    extension,
    home,
    label,
    new_study,
    notes,
    people,
    plan,
    results,
    studies,
    study_people,
)

ROUTERS = (
    studies.router,
    new_study.router,
    home.router,
    plan.router,
    extension.router,
    label.router,
    notes.router,
    results.router,
    errors.router,
    answers.router,
    study_people.router,
    audit.router,
    people.router,
)
