"""The examples for Prometheus are valid, and name metrics, labels and kinds that exist."""

import re
from pathlib import Path

import yaml

from scoop import metrics

HOWTO = Path(__file__).parents[2] / "docs" / "howto" / "metrics.md"
YAML = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_rules_use_metrics_and_labels_that_exist():
    scrape, rules = map(yaml.safe_load, YAML.findall(HOWTO.read_text()))
    assert scrape["scrape_configs"][0]["metrics_path"] == "/metrics"
    for rule in rules["groups"][0]["rules"]:
        used = re.findall(r"((?:scoop|firestore)_\w+)(?:\{(.*?)\})?", rule["expr"])
        assert used
        for name, selector in used:
            metric = next(each for each in metrics.METRICS if each.name == name.removesuffix("_bucket"))
            assert set(re.findall(r"(\w+)=", selector)) <= set(metric.labels)
        assert rule["labels"]["severity"] in {"critical", "warning", "info"}


def test_names_follow_the_conventions_of_prometheus():
    for metric in metrics.METRICS:
        assert re.fullmatch(r"(scoop|firestore)_[a-z_]+", metric.name)
        assert metric.name.endswith("_total") == (metric.type == "counter")
        assert metric.name.endswith(("_seconds", "_ratio")) == (metric.type == "histogram")
