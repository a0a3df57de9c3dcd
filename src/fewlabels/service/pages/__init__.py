"""What people see in a browser. Every page shows what the JSON API returns; changes are sent to the API.

One file per page or group of pages; `frame` is what they share.
"""

from fewlabels.service.pages import audit, label, new_study, people, plan, results, studies, study_people

ROUTERS = (studies.router, new_study.router, plan.router, label.router, results.router, audit.router, people.router, study_people.router)
