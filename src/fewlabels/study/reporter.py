"""A study that can be handed on: its report, and the files made of it.

Main path: population > profile > plan > draw > labels > estimate > decision > [report]
"""

from pathlib import Path

from fewlabels.nouns.canonical import Json
from fewlabels.study.reader import Reader
from fewlabels.study.report.build import build_report
from fewlabels.study.report.write import refuse_endings, write_report


class Reporter(Reader):
    """What can be read of a study, as a report."""

    def report(self, *paths: str | Path) -> dict[str, Json]:
        """The study as a report: plain data, and written to these files as their endings say (.html, .md, .txt, .json; JSON first).

        Before the plan's look it has progress and no numbers. Reading numbers is a look, recorded as `estimate` does.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> report = small_study().report()
            >>> report["version"], report["verdict"]["outcome"]
            (1, 'ship')
        """
        wanted = [Path(path) for path in paths]
        refuse_endings(wanted)
        report = build_report(self)
        if wanted:
            write_report(report, wanted)
        return report
