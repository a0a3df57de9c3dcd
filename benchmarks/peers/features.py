"""What users ask for, and which package has it. An entry names what has it, and is looked up where the package is installed.

`module:name` is imported, `bin/name` is a command of the package; words in brackets say what is missing or ours. No entry means that
neither the package's public names nor its own page has it.
"""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

FEATURES: Mapping[str, Mapping[str, str]] = {
    "precision with an interval": {
        "fewlabels": "fewlabels.study.study:Study.estimate",
        "ppi-python": "ppi_py:ppi_mean_ci (as a mean)",
        "svy": "svy:Estimation.ratio",
        "samplics": "samplics:TaylorEstimator.estimate",
        "confidenceinterval": "confidenceinterval:ppv_score",
        "statsmodels": "statsmodels.stats.proportion:proportion_confint",
        "cje-eval": "cje:calibrated_mean_ci (as a mean)",
        "truescore": "truescore:judge_agreement",
        "evalstats": "evalstats:judge_debias_mean_ci (as a mean)",
        "nannyml": "nannyml:CBPE",
    },
    "recall with an interval": {
        "fewlabels": "fewlabels.study.study:Study.estimate",
        "ppi-python": "ppi_py:ppboot (own estimator)",
        "svy": "svy:Estimation.ratio",
        "samplics": "samplics:TaylorEstimator.estimate",
        "confidenceinterval": "confidenceinterval:tpr_score",
        "statsmodels": "statsmodels.stats.proportion:proportion_confint",
        "truescore": "truescore:judge_agreement",
        "nannyml": "nannyml:CBPE",
    },
    "F1 with an interval": {
        "fewlabels": "fewlabels.study.study:Study.estimate",
        "ppi-python": "ppi_py:ppboot (own estimator)",
        "svy": "svy:Estimation.ratio (own totals)",
        "samplics": "samplics:TaylorEstimator.estimate (own totals)",
        "confidenceinterval": "confidenceinterval:f1_score",
        "nannyml": "nannyml:CBPE",
    },
    "specificity, negative predictive value": {
        "fewlabels": "fewlabels.nouns.metrics:metric_named",
        "svy": "svy:Estimation.ratio (own totals)",
        "samplics": "samplics:TaylorEstimator.estimate (own totals)",
        "confidenceinterval": "confidenceinterval:npv_score",
        "statsmodels": "statsmodels.stats.proportion:proportion_confint",
        "truescore": "truescore:judge_agreement (specificity)",
        "nannyml": "nannyml:CBPE (specificity)",
    },
    "draws the units to label": {
        "fewlabels": "fewlabels.study.study:Study.ask",
        "ssepy": "ssepy:ModelPerformanceEvaluator.sample",
        "svy": "svy:Selection.srs",
        "samplics": "samplics:SampleSelection",
        "evalstats": "bin/evalstats (label: at random)",
        "oasis": "oasis:OASISSampler.sample_distinct",
    },
    "uses scores to choose them": {
        "fewlabels": "fewlabels.planning.design_choice:choose_design",
        "ssepy": "ssepy:ModelPerformanceEvaluator.allocate_budget (for a mean)",
        "svy": "svy:PPSMethod (by a size)",
        "samplics": "samplics:SelectMethod (by a size)",
        "oasis": "oasis:OASISSampler",
    },
    "says how many labels a question needs": {
        "fewlabels": "fewlabels.study.study:Study.plan",
        "ppi-python": "ppi_py:ppi_mean_power (for a mean)",
        "svy": "svy:SampleSize",
        "samplics": "samplics:SampleSizePropOneSample",
        "statsmodels": "statsmodels.stats.proportion:samplesize_confint_proportion",
        "cje-eval": "cje:plan_for_mde (for a mean)",
        "truescore": "truescore:required_gold_labels (for a mean)",
    },
    "one plan for several goals": {"fewlabels": "fewlabels.planning.design_choice:choose_design"},
    "a verdict with bounded error": {
        "fewlabels": "fewlabels.study.study:Study.decide",
        "cje-eval": "cje:transport_audit (of a calibration)",
        "mapie": "mapie.risk_control:BinaryClassificationController (of a threshold)",
    },
    "looks at any time": {
        "fewlabels": "bin/fewlabels (plan --stopping)",
        "truescore": "truescore:confidence_sequence (for a mean)",
        "mapie": "mapie.exchangeability_testing.risk_monitoring:RiskMonitoring",
    },
    "several classifiers from the same labels": {
        "fewlabels": "fewlabels:Classifier",
        "svy": "svy:Estimation.ratio",
        "samplics": "samplics:TaylorEstimator.estimate",
        "evalstats": "evalstats:compare_models",
        "cje-eval": "cje:analyze_dataset (policies)",
        "oasis": "oasis:OASISSampler (columns of predictions)",
    },
    "difference of two classifiers": {
        "fewlabels": "fewlabels.estimators.comparing:compare",
        "cje-eval": "cje:EstimationResult.compare_policies",
        "truescore": "truescore:ppi_compare",
        "evalstats": "evalstats:compare",
        "statsmodels": "statsmodels.stats.contingency_tables:mcnemar",
    },
    "a threshold with a guarantee": {
        "fewlabels": "fewlabels.planning.threshold_search:find",
        "mapie": "mapie.risk_control:BinaryClassificationController",
    },
    "slices": {
        "fewlabels": "fewlabels.study.study:Study.estimate",
        "svy": "svy:Estimation.ratio (by)",
        "samplics": "samplics:TaylorEstimator.estimate (domain)",
        "truescore": "truescore:estimate_slices",
    },
    "several labels or classes": {
        "fewlabels": "fewlabels.estimators.joint:measure_joint",
        "confidenceinterval": "confidenceinterval:classification_report_with_ci",
        "nannyml": "nannyml:CBPE (classes)",
    },
    "metrics by weight, such as dollars": {
        "fewlabels": "fewlabels.nouns.metrics:metric_named",
        "svy": "svy:Estimation.ratio (own totals)",
        "samplics": "samplics:TaylorEstimator.estimate (own totals)",
        "scikit-learn": "sklearn.metrics:f1_score (sample_weight)",
    },
    "labels that err": {
        "fewlabels": "fewlabels.study.study:Study.estimate",
        "truescore": "truescore:rogan_gladen_estimate",
        "evalstats": "evalstats:judge_alignment",
    },
    "finite population": {
        "fewlabels": "fewlabels.study.study:Study.estimate",
        "ssepy": "ssepy:ModelPerformanceEvaluator.compute_estimate",
        "svy": "svy:PopSize",
        "samplics": "samplics:TaylorEstimator.estimate (fpc)",
    },
    "change over time": {
        "fewlabels": "bin/fewlabels (change, window, alarm)",
        "truescore": "truescore:judge_drift",
        "nannyml": "nannyml:CBPE",
        "mapie": "mapie.exchangeability_testing.risk_monitoring:RiskMonitoring",
    },
    "an estimate without labels": {
        "truescore": "truescore:judge_only_estimate (as the judge says)",
        "nannyml": "nannyml:CBPE (if scores stay calibrated)",
    },
    "a page where people label": {"fewlabels": "bin/fewlabels (label)", "evalstats": "bin/evalstats (label: a file)"},
    "a record that an auditor can recompute": {"fewlabels": "fewlabels.study.study:Study.verify"},
    "the table stays in DuckDB, Spark or a warehouse": {"fewlabels": "fewlabels.engines.opening:open_engine"},
    "a command line": {
        "fewlabels": "bin/fewlabels",
        "cje-eval": "bin/cje",
        "truescore": "bin/truescore",
        "evalstats": "bin/evalstats",
        "nannyml": "bin/nml",
    },
    "a report for everybody else": {
        "fewlabels": "fewlabels.study.study:Study.report",
        "cje-eval": "cje:EstimationResult.summary (text)",
        "truescore": "truescore:build_report",
        "evalstats": "evalstats:plot_ci_forest (pictures)",
        "nannyml": "nannyml:CBPE (pictures)",
    },
}

LOOKED_UP = """
import importlib, json, os, sys, warnings
warnings.simplefilter("ignore")
missing = []
for name in json.loads(sys.argv[1]):
    if name.startswith("bin/"):
        found = os.path.exists(os.path.join(os.path.dirname(sys.executable), name[4:]))
    else:
        module, _, path = name.partition(":")
        try:
            thing = importlib.import_module(module)
            for part in path.split("."):
                thing = getattr(thing, part)
            found = True
        except (ImportError, AttributeError):
            found = False
    if not found:
        missing.append(name)
print(json.dumps(missing))
"""


def missing_names(package: str, python: Path | str, variables: Mapping[str, str]) -> list[str]:
    """Names in a package's column that its environment does not have."""
    names = sorted({entry[package].partition(" (")[0] for entry in FEATURES.values() if package in entry})
    told = subprocess.run(
        [str(python), "-c", LOOKED_UP, json.dumps(names)], env=dict(variables), capture_output=True, text=True, check=True
    )
    found: list[str] = json.loads(told.stdout.splitlines()[-1])
    return found
