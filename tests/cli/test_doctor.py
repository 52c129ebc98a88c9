"""`scoop doctor` and `scoop config` as their users meet them."""

import json

import pytest

from builders import scoop

NOBODY_LISTENS = "postgresql://127.0.0.1:1/scoop"


def checks(*, exits_with, **settings):
    done = scoop("doctor", "--json", **settings)
    assert done.returncode == exits_with, done.stderr
    return {check["name"]: check for check in json.loads(done.stdout)}


def test_the_doctor_looks_at_everything_and_says_what_to_do(database_url, home):
    found = checks(exits_with=0, database_url=database_url, home=home)
    assert list(found) == [
        "settings", "home", "disk", "database", "schema", "workers", "queue", "sources", "digests", "posts", "accounts",
    ]  # fmt: skip
    assert {name for name, check in found.items() if check["outcome"] != "ok"} == {"workers", "sources", "accounts"}
    shown = scoop("doctor", database_url=database_url, home=home).stdout
    assert "accounts: open the link that scoop up prints, or: scoop users add NAME --role admin" in shown


def test_the_doctor_names_a_database_that_does_not_answer(home):
    found = checks(exits_with=1, database_url=NOBODY_LISTENS, home=home)
    assert found["database"]["outcome"] == "fail"
    assert "check SCOOP_DATABASE_URL" in found["database"]["finding"]


async def test_the_doctor_names_a_schema_of_a_newer_program(database, database_url, home):
    async with database.connection() as conn:
        await conn.execute("INSERT INTO news.schema_migrations (version, name, checksum) VALUES (9999, 'later', '')")
    found = checks(exits_with=1, database_url=database_url, home=home)
    assert found["schema"]["outcome"] == "fail"


def test_the_doctor_names_a_home_that_cannot_be_written(tmp_path):
    file = tmp_path / "file"
    file.touch()
    found = checks(exits_with=1, home=file / "home")
    assert "not a directory" in found["home"]["finding"]


def test_the_doctor_answers_also_when_no_other_command_would(home):
    found = checks(exits_with=1, home=home, port="abc")
    assert "SCOOP_PORT" in found["settings"]["finding"]


@pytest.mark.parametrize("command", [["stories"], ["config", "check"]])
def test_a_mistyped_variable_is_reported_with_the_nearest_name(command, database_url):
    done = scoop(*command, database_url=database_url, timezne="Europe/Berlin")
    assert "SCOOP_TIMEZNE is not a setting and has no effect; did you mean SCOOP_TIMEZONE?" in done.stderr


def test_a_mistyped_key_of_the_file_is_answered_with_the_nearest_one(tmp_path):
    file = tmp_path / "scoop.toml"
    file.write_text("prot = 8787")
    done = scoop("stats", config=file)
    assert (done.returncode, done.stderr) == (3, f"scoop: {file}: there is no setting 'prot'; did you mean port?\n")


def test_config_shows_each_setting_with_its_origin_and_hides_secrets(tmp_path):
    file = tmp_path / "scoop.toml"
    file.write_text('port = 9000\ntimezone = "Asia/Tokyo"')
    url = "postgresql://ann:tr0ub4dor@db.example/scoop?password=tr0ub4dor"
    settings = {"config": file, "timezone": "Europe/Berlin", "database_url": url, "secret_desk": "x1y2"}
    done = scoop("config", "show", "--json", **settings)
    found = {row["setting"]: row for row in json.loads(done.stdout)}
    assert (found["port"]["value"], found["port"]["origin"]) == (9000, str(file))
    assert (found["timezone"]["value"], found["timezone"]["origin"]) == ("Europe/Berlin", "SCOOP_TIMEZONE")
    assert (found["host"]["value"], found["host"]["origin"]) == ("127.0.0.1", "default")
    assert "db.example" in found["database_url"]["value"]
    assert "tr0ub4dor" not in done.stdout
    assert "x1y2" not in done.stdout
    changed = scoop("config", "show", "--changed", config=file).stdout
    assert [line.split()[0] for line in changed.splitlines()[2:]] == ["port", "timezone"]


def test_config_names_its_file_also_when_the_file_is_broken(tmp_path):
    file = tmp_path / "scoop.toml"
    file.write_text("port = ")
    assert scoop("config", "path", config=file).stdout == f"{file}\n"
    assert scoop("config", "check", config=file).returncode == 3


def test_config_checks_the_sources_and_topics_of_the_file(tmp_path):
    file = tmp_path / "scoop.toml"
    file.write_text('[[sources]]\ntarget = "ftp://x"\ncollection = "a"\n[[topics]]\nslug = "A b"')
    done = scoop("config", "check", config=file)
    assert done.returncode == 3
    assert "[[sources]] number 1:" in done.stderr
    assert "[[topics]] number 1:" in done.stderr
