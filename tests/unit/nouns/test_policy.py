"""A policy: what its file may say, what it may not, and that it is the same policy however it is written."""

import pytest

from fewlabels.errors import PolicyError
from fewlabels.nouns.policy import MOST_NONRESPONSE, Policy, parse_policy

FULL = """
level = 0.9
max_nonresponse = 0.1

[[rule]]
metric = "recall"
classifier = "gbm"
slice = "country=DE"
target = ">= 90 %"
min_n_eff = 100
max_half_width = 0.05
level = 0.99

[[rule]]
metric = "false_positive_rate"
target = "<= 0.01"

[[rule]]
metric = "f1"
classifier = "gbm"
over = "lr"
target = ">= -0.01"

[[rule]]
metric = "precision"
by = "country"
max_half_width = 0.1
"""


def test_a_rule_is_a_goal_with_limits_and_the_top_holds_for_all() -> None:
    policy = parse_policy(FULL)
    assert [str(rule) for rule in policy.rules] == [
        "recall >= 0.9 for gbm in country=DE at 0.99",
        "false_positive_rate <= 0.01 at 0.9",
        "f1 >= -0.01 for gbm over lr at 0.9",
        "precision +-0.1 by country at 0.9",
    ]
    first, second = policy.rules[:2]
    assert (first.min_n_eff, first.max_half_width, first.max_nonresponse) == (100, 0.05, 0.1)
    assert (second.min_n_eff, second.max_half_width) == (30, None)
    assert parse_policy('[[rule]]\nmetric = "recall"\ntarget = 0.9').rules[0].max_nonresponse == MOST_NONRESPONSE


def test_a_policy_is_read_back_and_its_hash_is_of_what_it_asks() -> None:
    policy = parse_policy(FULL)
    assert Policy.of_json(policy.as_json()) == policy
    plain, spelt = '[[rule]]\nmetric = "recall"\ntarget = 0.9', 'rule = [{target = "≥ 90%", metric = "Recall", level = 0.95}]'
    assert parse_policy(plain).hash == parse_policy(spelt).hash
    assert parse_policy(plain).hash != parse_policy(plain.replace("0.9", "0.91")).hash


def rule(said: str) -> str:
    return f'[[rule]]\nmetric = "recall"\n{said}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1 to 500 rules, got 0"),
        ("rule = 3", "an array of tables, got 3"),
        ("[rule]\nmetric = 'recall'", "two brackets"),
        ("level = ", "a policy must be TOML"),
        ("levle = 0.9", "did you mean level"),
        ("threshold = 0.9\n" + rule("target = 0.9"), "'threshold' at the top of a policy is unknown: use one of level"),
        (rule("target = 0.9\nmin_neff = 3"), "'min_neff' in rule 1 is unknown: did you mean min_n_eff"),
        (rule("min_n_eff = 3"), "rule 1 has neither"),
        (rule("target = true"), "target must be a number, but rule 1 has True"),
        (rule("target = nan"), "target must be a number, but rule 1 has nan"),
        (rule('target = "0.9"'), "a target must be written"),
        (rule('target = ">= 0.9 for gbm"'), "a target must be written"),
        (rule('target = "+- 0.9"'), "a target must be written"),
        (rule("target = 1.5"), "must lie inside (0, 1), got 1.5"),
        (rule("target = 0.9\nlevel = 95"), "0.95 is usual"),
        (rule("target = 0.9\nlevel = '0.9'"), "level must be a number"),
        (rule("target = 0.9\nmin_n_eff = 0"), "min_n_eff must be at least 1"),
        (rule("target = 0.9\nmax_half_width = 1"), "max_half_width must lie between 0 and 1"),
        (rule("target = 0.9\nmax_nonresponse = 1"), "a share in [0, 1), but recall >= 0.9 has 1"),
        (rule("target = 0.9\nslice = 'DE'"), "COLUMN=VALUE"),
        (rule("target = 0.9\nslice = 'country='"), "COLUMN=VALUE"),
        (rule("target = 0.9\nslice = 3"), "COLUMN=VALUE"),
        (rule("target = 0.9\nclassifier = ''"), "classifier must be a name"),
        (rule("target = 0.9\nover = 'lr'"), "a difference must be between two classifiers"),
        (rule("target = 0.9\nby = 'a'\nslice = 'a=b'"), "leave one out"),
        ('[[rule]]\nmetric = "recal"\ntarget = 0.9', "rule 1: no metric 'recal'"),
        ("[[rule]]\ntarget = 0.9", "a rule must name a metric, but rule 1 has 'none'"),
        (rule("target = 0.9\n") + rule("target = 0.8"), "a policy can have only one rule of a kind"),
        (rule("target = '>= 0.9'\n") + rule("target = '<= 0.8'"), "no value meets both"),
        (rule("target = 0.9\nrule_out_hidden = true\nby = 'a'"), "leave it out of this rule"),
        (rule("target = '<= 0.9'\nrule_out_hidden = true"), "positives among unflagged units can make fall, but recall <= 0.9 is none"),
        ('[[rule]]\nmetric = "precision"\ntarget = 0.9\nrule_out_hidden = true', "leave it out of this rule"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_the_way_out(text: str, message: str) -> None:
    with pytest.raises(PolicyError) as refusal:
        parse_policy(text)
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    "metric",
    ["prevalence", "false_positive_rate", "false_omission_rate", "cost[0,1,5,0]", "prevalence by amount", "macro[false_positive_rate]"],
)
def test_a_number_alone_is_refused_where_less_may_be_better(metric: str) -> None:
    with pytest.raises(PolicyError, match="the direction is unclear"):
        parse_policy(f'[[rule]]\nmetric = "{metric}"\ntarget = 0.4')
    assert parse_policy(f'[[rule]]\nmetric = "{metric}"\ntarget = "<= 0.4"').rules[0].goal.kind == "<="


def test_a_range_of_values_is_no_contradiction() -> None:
    assert len(parse_policy(rule("target = '>= 0.7'\n") + rule("target = '<= 0.8'")).rules) == 2


def test_a_file_that_is_no_policy_is_not_read_for_long() -> None:
    with pytest.raises(PolicyError, match="at most 1,000,000 characters"):
        parse_policy("#" * 1_000_001)
