"""`fewlabels serve`: the workbench and its JSON API. One thin route per method of a study; nothing is computed here.

settings   what the person who starts the server decides
state      what all routes share: ledger, people, studies, desks
access     who makes a request, and what they may do; how routes and pages are protected
guard      checks before every route: host names, sizes, rates, headers, who is signed in
errors     the form of error responses
sign_in    one-time links, and signing out
requests   the bodies of requests; `responses` the bodies of responses
api_*      the routes of the JSON API; also `images` and `events`
pages      what people see in a browser
app        all of it, put together
"""
