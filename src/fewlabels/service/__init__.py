"""`fewlabels serve`: the workbench and its JSON API. One route per method of a study, thin; nothing is computed here.

settings   what the person who starts the server decides
bench      what all routes share: ledger, people, studies, desks
access     who asks, and what they may do; how routes and pages are protected
guard      what stands before every route: host names, sizes, rates, headers, who has entered
errors     what a refusal looks like
entering   one-time links, and leaving
bodies     what requests hold; `shown` what answers to them hold
api_*      the routes of the JSON API; also `images` and `events`
pages      what people see in a browser
app        all of it, put together
"""
