"""docs/papers.md: every numbered table and figure of the source documents."""

from collections.abc import Sequence

from benchmarks.papers.rows import Row

WITHOUT = {
    "How many labels before you trust the metric?": "no numbered table or figure; its 20 flagged rows of 500 open the documentation",
    "Manual of testsampleR": "no numbered table or figure; its allocation is compared in [against](against.md)",
}


def page(rows: Sequence[Row], again: Sequence[Row] | None, *, seed: int, reps: int, again_seed: int | None) -> str:
    """The page."""
    made = sum(row.outcome != "not reproducible" for row in rows)
    whole = sum(row.outcome == "reproduced" for row in rows)
    lines = [
        "# The papers, made again",
        "",
        "    make papers DATA=FOLDER",
        "",
        f"Every numbered table and figure of the documents that fewlabels was created from. {made} of {len(rows)} are made again, {whole} "
        f"of them in whole: *in part* means on other data, or without printed numbers to compare with. {reps:,} replicates, seed {seed}. "
        "*fewlabels*: what the product does with the same question.",
        "",
    ]
    for document in dict.fromkeys(row.document for row in rows):
        lines += [f"## {document}", "", "| | outcome | theirs | ours | what differs | fewlabels |", "|---|---|---|---|---|---|"]
        lines += [
            f"| {row.item} | {row.outcome} | {row.theirs} | {row.ours} | {row.why} | {row.product} |"
            for row in rows
            if row.document == document
        ]
        lines.append("")
    lines += ["## Documents without one", "", *(f"- {name}: {why}." for name, why in WITHOUT.items()), ""]
    if again is not None:
        lines += ["## Another seed", "", *_again(rows, again, again_seed), ""]
    lines += [
        "## What would make this unfair",
        "",
        "- The texts of the papers give few of the numbers behind their figures, so for most figures a sentence is compared, not a curve.",
        "- None of their collections is to be had: ours are smaller, and other classifiers scored them.",
        "- Where a paper can be read in two ways the one that favors it is taken; where it errs ([against](against.md) and "
        "[recycling](maths/recycling.md) say where) Bernoulli draws are filled exactly, not as printed.",
        "",
    ]
    return "\n".join(lines)


def _again(rows: Sequence[Row], again: Sequence[Row], seed: int | None) -> list[str]:
    """What another seed says, where it says something else."""
    changed = [(one, two) for one, two in zip(rows, again, strict=True) if one.ours != two.ours]
    other = [f"{one.item}: {one.outcome} and {two.outcome}" for one, two in zip(rows, again, strict=True) if one.outcome != two.outcome]
    lines = [f"Outcomes that differ with seed {seed}: {'; '.join(other) or 'none'}. These rows say other numbers:", ""]
    return lines + [f"- {two.document}, {two.item}: {two.ours}." for _, two in changed]
