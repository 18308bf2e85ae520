"""The page in a real browser: the tutorial's study from file to stop, two people, payloads, accessibility, screens.

It drives the system's chromium (`make browser` installs it where it may). Where there is none the tests are skipped;
with REGRETLESS_BROWSER=required, as continuous integration has it, that is a failure.
"""

import csv
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from regretless import LevelSet, Study

from .browser import chromium, served
from .conftest import base, events, small, trials, value

playwright = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
XSS = '<img src=x onerror="alert(1)">"\'><script>alert(2)</script>{{7*7}}'
SHOTS = os.environ.get("REGRETLESS_SCREENSHOTS")  # a folder: the pictures of docs/howto/bench-page.md


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = chromium()
    if path is None:
        if os.environ.get("REGRETLESS_BROWSER") == "required":
            pytest.fail("there is no chromium, and REGRETLESS_BROWSER=required: apt-get install chromium")
        pytest.skip("there is no chromium: apt-get install chromium, or REGRETLESS_CHROMIUM=its path")
    with playwright.sync_playwright() as started:
        sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        opened = started.chromium.launch(executable_path=path, args=sandbox)
        yield opened
        opened.close()


class Tab:
    """A page that notes every dialog, every error and every request to another host."""

    def __init__(self, browser: Any, address: str, **look: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **look})
        self.page, self.wrong = self.context.new_page(), []
        self.page.set_default_timeout(90_000)
        host = re.match(r"http://[^/]+", address)[0]
        self.page.on("dialog", lambda dialog: (self.wrong.append(f"dialog {dialog.message}"), dialog.dismiss()))
        self.page.on("pageerror", lambda error: self.wrong.append(f"error {error}"))
        self.page.on("console", lambda line: self.wrong.append(line.text) if line.type == "error" else None)
        self.context.on(
            "request",
            lambda sent: None if sent.url.startswith((host, "data:")) else self.wrong.append(f"request {sent.url}"),
        )
        self.page.goto(address)
        assert "token" not in self.page.url

    def named(self, name: str) -> "Tab":
        self.page.get_by_text("Who are you?").click()
        self.page.get_by_label("Your name").fill(name)
        self.page.get_by_role("button", name="Save").click()
        return self

    def fine(self, *allowed: str) -> None:
        assert [line for line in self.wrong if not any(word in line for word in allowed)] == []
        self.context.close()


def violations(page: Any) -> list[str]:
    """What axe finds, by WCAG 2.2 AA."""
    page.evaluate(AXE)
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    found = page.evaluate("tags => axe.run({runOnly: tags})", tags)
    return [f"{each['id']}: {each['nodes'][0]['html'][:120]}" for each in found["violations"]]


def shoot(page: Any, name: str) -> None:
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/{name}.png", full_page=True)


def mixes(folder: Path) -> dict[tuple[str, ...], list[str]]:
    """The tutorial's file without results, and what the bench would measure; a stand-in where there are no data."""
    from regretless.problems.measurements import locate

    names, result = ("CsPbI", "FAPbI", "MAPbI"), "Instability index"
    known: dict[tuple[str, ...], list[str]] = {}
    try:
        with Path(locate("perovskite")).open(encoding="utf-8-sig", newline="") as file:
            for row in csv.DictReader(file):
                known.setdefault(tuple(f"{float(row[name]):g}" for name in names), []).append(row[result])
    except Exception:
        for i in range(11):
            for j in range(11 - i):
                a, b = i / 10, j / 10
                value = f"{30000 + 9e5 * ((a - 0.2) ** 2 + (b - 0.8) ** 2):.0f}"
                known[f"{a:g}", f"{b:g}", f"{1 - a - b:.1f}".replace("-0.0", "0").replace("0.0", "0")] = [value]
    with (folder / "perovskite.csv").open("w", newline="") as file:
        csv.writer(file).writerows([names, *known])
    return known


def test_the_tutorials_study_from_file_to_stop(browser, tmp_path):
    known, store = mixes(tmp_path), tmp_path / "lab.db"
    with served(store, report=lambda _: "<p>report</p>") as (_, start):
        tab = Tab(browser, start).named("Ada")
        page = tab.page
        page.get_by_role("link", name="New study").first.click()
        page.get_by_label("CSV or Excel").set_input_files(tmp_path / "perovskite.csv")
        page.get_by_role("button", name="Look at it").click()
        page.get_by_text("numbers from 0 to 1").nth(2).wait_for()
        page.get_by_label("What is measured").fill("Instability index")
        page.get_by_label("Wanted").select_option("small values")
        page.get_by_label("It cannot be below").fill("0")
        page.get_by_label("Stop when so little is left").fill("120000")
        page.get_by_label("Experiments per round").fill("3")
        page.get_by_text("Decimal mark, worksheet, seed").click()
        page.get_by_label("Seed").fill("11")
        shoot(page, "preview")
        page.get_by_role("button", name="Make the study").click()
        page.get_by_role("heading", name="perovskite").wait_for()
        for _ in range(14):
            if page.get_by_text("You can stop").count():
                break
            page.get_by_role("button", name="Give me 3").click()
            page.locator(".experiment").first.wait_for()
            while page.locator(".experiment").count():
                card = page.locator(".experiment").first
                number = int(re.search(r"Trial (\d+)", card.inner_text())[1])
                mix = tuple(card.locator("dd").all_inner_texts())
                results = known[mix]
                card.get_by_label("Instability index").fill(results[number % len(results)].replace(".", ","))
                card.get_by_role("button", name="Record").click()
                page.get_by_text(f"Recorded trial {number}").wait_for()
        page.locator("#verdict", has_text=re.compile("You can stop")).wait_for(timeout=120_000)
        page.locator(".verdict-stop").wait_for()
        tab.fine()
    assert all(trial.status == "told" for trial in trials(store, "perovskite"))
    assert {event.author for event in events(store, "perovskite")} == {"Ada"}


def test_two_people_at_once(browser, store):
    small(store, results=5, pending=2)
    with served(store) as (address, start):
        ada, bo = Tab(browser, start).named("Ada"), Tab(browser, start).named("Bo")
        for tab in (ada, bo):
            tab.page.goto(address + base())
        ada.page.locator("#t5-v0").fill("81,2")
        ada.page.locator("#trial-5").get_by_role("button", name="Record").dblclick()
        ada.page.get_by_text("Recorded trial 5: yield 81.2").wait_for()
        bo.page.locator("#t5-v0").fill("18.2")
        bo.page.locator("#trial-5").get_by_role("button", name="Record").click()
        bo.page.get_by_role("heading", name="Trial 5 has another result").wait_for()
        bo.page.get_by_text("Ada recorded it").wait_for()
        shoot(bo.page, "conflict")
        bo.page.get_by_label("Why").fill("read wrongly")
        bo.page.get_by_role("button", name="Correct it").click()
        bo.page.get_by_text("Trial 5 is now yield 18.2").wait_for()
        ada.page.go_back()  # a fresh page, without the form that was sent
        ada.page.locator("#t5-v0").wait_for(state="detached")
        bo.page.goto(address + base())
        bo.page.get_by_role("button", name="Give me one").dblclick()
        bo.page.locator("#trial-7").wait_for()
        ada.page.goto(address + base())
        ada.page.reload()
        ada.fine()
        bo.fine("409")
    kinds = [event.kind for event in events(store)]
    assert (kinds.count("told"), kinds.count("amended"), len(trials(store))) == (6, 1, 8)


def test_payloads_in_every_field_are_text(browser, store, tmp_path):
    rows = [{XSS: text, "T": T} for text in (XSS, "b") for T in (1, 2, 3)]
    with Study.open(store, XSS, space=rows, objective=XSS, seed=1, author=XSS) as study:
        for _ in range(5):
            trial = study.ask()
            study.tell(trial, float(trial.params["T"]))
        study.amend(0, 5.0, reason=XSS)
        study.ask()
    (tmp_path / "x.csv").write_text(f'"{XSS.replace(chr(34), chr(34) * 2)}",T\n"=cmd()",1\n"<b>x</b>",2\n')
    with served(store) as (address, start):
        tab = Tab(browser, start).named(XSS)
        page, at = tab.page, address + base(XSS)
        for end in ("", "/trials", "/candidates", "/figures", "/t/0", "/sheet", "/ran?instead=5"):
            page.goto(at + end)
            assert page.locator("img").count() == 0, end
            for field in page.locator("main input:not([type=hidden]):not([type=file]):visible").all():
                if field.get_attribute("type") == "checkbox":
                    field.check()
                else:
                    field.fill(XSS)
            sends = page.locator("main form button:visible")
            if end in ("", "/t/0", "/ran?instead=5", "/candidates", "/trials") and sends.count():
                sends.first.click()
            assert page.locator("img").count() == 0, end
            assert "Regretless" in page.title(), end
        page.goto(at)
        page.get_by_text("Why this one?").click()
        page.locator("[id^=why-] .expects").wait_for()
        page.goto(address + "/new")
        page.get_by_label("CSV or Excel").set_input_files(tmp_path / "x.csv")
        page.get_by_role("button", name="Look at it").click()
        page.get_by_label("Name of the study").fill(XSS + "2")
        page.get_by_label("What is measured").fill(XSS)
        page.get_by_role("button", name="Make the study").click()
        page.goto(address + "/new/space")
        for field in page.locator("main input:visible").all():
            field.fill(XSS)
        page.get_by_role("button", name="Make the study").click()
        assert page.locator("img").count() == 0
        tab.fine("422", "404", "409")
    assert len(trials(store, XSS)) == 6 + sum(trial.source == "added" for trial in trials(store, XSS))


LOOKS = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
    "phone-dark": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark", "is_mobile": True},
    "zoom": {"viewport": {"width": 600, "height": 450}},  # 1200 px at 200 %
}


#: Pages that are looked at; in the light, all of them.
SHOWN = {
    "dark": ("studies", "bench", "figures", "trials"),
    "phone": ("studies", "bench", "figures", "trials", "candidates", "ran"),
    "phone-dark": ("bench",),
    "zoom": ("bench", "candidates", "ran", "bounds"),
}
#: Everything that can be pressed, and is less than 44 px high.
SMALL = """() => [...document.querySelectorAll(
  'main a.button, main button, main input:not([type=hidden]):not([type=checkbox]), main select, main summary')]
  .filter(e => e.offsetParent !== null && e.getBoundingClientRect().height < 44).map(e => e.outerHTML.slice(0, 90))"""
DRAGGED = """() => { const data = new DataTransfer();
  data.items.add(new File(['T,acid\\n20,HCl\\n30,HNO3\\n'], 'dragged.csv', {type: 'text/csv'}));
  const drop = new DragEvent('drop', {dataTransfer: data, bubbles: true});
  document.querySelector('main').dispatchEvent(drop); }"""


def everywhere(at: str) -> dict[str, str]:
    pages = {"studies": "/", "bench": at, "new": "/new", "bounds": "/new/space"}
    return (
        pages
        | {end: f"{at}/{end}" for end in ("trials", "candidates", "figures", "sheet", "ran")}
        | {"trial": f"{at}/t/7"}
    )


def test_accessible_on_every_screen(browser, store):
    small(store, "Acids", results=9, pending=2)
    with served(store) as (address, start):
        for look, settings in LOOKS.items():
            tab = Tab(browser, start, bypass_csp=True, **settings)
            page = tab.page
            for name, path in everywhere(base("Acids")).items():
                if name not in SHOWN.get(look, name):
                    continue
                page.goto(address + path)
                page.locator(".busy").first.wait_for(state="detached", timeout=120_000)
                if look == "light" or name in ("bench", "figures"):
                    assert violations(page) == [], (look, name)
                wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                assert wide <= 0, (look, name)
                small_ones = page.evaluate(SMALL)
                assert small_ones == [], (look, name)
                if name in ("bench", "figures") or (look == "light" and name in ("studies", "trials")):
                    shoot(page, f"{name}-{look}")
            tab.fine()


def test_a_level_set_on_the_page(browser, store):
    rows = [{"T": T, "acid": acid} for T in range(20, 101, 5) for acid in ("HCl", "HNO3")]
    with Study.open(store, "Levels", space=rows, objective="yield", goal=LevelSet(above=75.0), seed=1) as study:
        for _ in range(9):
            trial = study.ask()
            study.tell(trial, value(trial.params))
        study.ask(2)
    with served(store) as (address, start):
        tab = Tab(browser, start, bypass_csp=True)
        page = tab.page
        for name, end in (("levels", ""), ("levels-figures", "/figures")):
            page.goto(address + base("Levels") + end)
            page.locator(".busy").first.wait_for(state="detached", timeout=120_000)
            assert violations(page) == [], name
            shoot(page, f"{name}-light")
        page.get_by_role("heading", name="Which reach the level").wait_for()
        tab.fine()


def test_by_keyboard_alone(browser, store):
    small(store, results=5, pending=1)
    with served(store) as (address, start):
        tab = Tab(browser, start)
        page = tab.page
        page.goto(address + base())
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the page"
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.id") == "t5-v0":
                break
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        page.keyboard.type("77,5")
        page.keyboard.press("Enter")
        page.get_by_text("Recorded trial 5: yield 77.5").wait_for()
        tab.fine()
    assert trials(store)[5].value == 77.5


def test_without_javascript_everything_works(browser, store):
    small(store, results=5)
    with served(store) as (address, start):
        tab = Tab(browser, start, java_script_enabled=False)
        page = tab.page
        page.goto(address + base())
        page.get_by_role("button", name="Give me one").click()
        for _ in range(20):
            if page.locator("#trial-5").count():
                break
            page.goto(address + base())
        page.locator("#t5-v0").fill(str(value(trials(store)[5].params)))
        page.locator("#trial-5").get_by_role("button", name="Record").click()
        page.get_by_text("Recorded trial 5").wait_for()
        page.goto(f"{address}{base()}/t/5")
        page.get_by_text("was drawn").wait_for()
        tab.fine()


def test_a_file_can_be_dragged(browser, store):
    small(store)
    with served(store) as (address, start):
        tab = Tab(browser, start)
        page = tab.page
        page.goto(address + "/new")
        page.evaluate(DRAGGED)
        page.get_by_role("heading", name="dragged.csv").wait_for()
        tab.fine()
