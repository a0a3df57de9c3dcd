"""A gate as a JUnit file: one test case per rule. GitLab, Jenkins and most other pipelines show it.

failure type="label_more" or "do_not_ship"      error type="invalid"
"""

from xml.etree import ElementTree

from fewlabels.nouns.gate import Gate, RuleVerdict, Verdict
from fewlabels.reports.plain_names import one_line


def junit(gate: Gate) -> str:
    """Return the file. A gate without a readable rule has one case: the gate itself."""
    cases = [_case(gate.study, str(rule.rule), rule.verdict, _said(rule)) for rule in gate.rules]
    if not gate.rules or all(rule.verdict == "ship" for rule in gate.rules) != (gate.verdict == "ship"):
        cases.append(_case(gate.study, "gate", gate.verdict, list(gate.reasons)))
    counts = {"tests": str(len(cases))}
    for kind in ("failure", "error"):
        counts[f"{kind}s"] = str(sum(case.find(kind) is not None for case in cases))
    suite = ElementTree.Element("testsuite", {"name": one_line(f"fewlabels gate {gate.study}"), "skipped": "0", "time": "0", **counts})
    suite.extend(cases)
    out = ElementTree.SubElement(suite, "system-out")
    out.text = one_line(
        " | ".join([gate.headline, *gate.reasons, *gate.warnings, *([f"{gate.promise}; {gate.about}"] if gate.promise else [])])
    )
    suites = ElementTree.Element("testsuites", {"name": "fewlabels gate", **counts})
    suites.append(suite)
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _case(study: str, name: str, verdict: Verdict, said: list[str]) -> ElementTree.Element:
    """Return one case: passed, failed, or with an error."""
    case = ElementTree.Element("testcase", classname=one_line(f"fewlabels.gate.{study}"), name=one_line(name), time="0")
    if verdict != "ship":
        message = one_line(said[0] if said else verdict)
        found = ElementTree.SubElement(case, "error" if verdict == "invalid" else "failure", type=verdict, message=message)
        found.text = "\n".join(map(one_line, said))
    return case


def _said(rule: RuleVerdict) -> list[str]:
    """Return the reasons, with the estimate and its notes."""
    return [*rule.reasons, *([] if rule.estimate is None else [str(rule.estimate)]), *rule.notes]
