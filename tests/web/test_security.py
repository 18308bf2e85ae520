"""The security list, line by line, and every route: none unguarded, no GET that writes."""

import ast
import gzip
import io
import re
import zipfile
from pathlib import Path

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

import regretless.web
from regretless import Study
from regretless.web import Bench, Doors, create_app
from regretless.web.api import create_api
from regretless.web.app import routes
from regretless.web.guard import LARGEST_BODY, LARGEST_FILE, Guard

from .conftest import HOST, base, events, small

ROOM = Path(regretless.web.__file__).parent
TEMPLATES = sorted((ROOM / "templates").glob("*.html"))
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


@pytest.fixture
def anyone(app, store) -> TestClient:
    """Somebody without a token."""
    small(store, results=4, pending=1)
    return TestClient(app, base_url=f"http://{HOST}", follow_redirects=False)


def every_path(store: Path) -> list[tuple[str, str]]:
    """Each method of each route, with something in the place of its parameters; those of the API too."""
    fill = {"{id:str}": base().rpartition("/")[2], "{n:int}": "0", "{key:str}": "k" * 12, "{name:str}": "style.css"}
    found = []
    for route in routes():
        path = route.path
        for place, text in fill.items():
            path = path.replace(place, text)
        assert "{" not in path
        found += [(method, path) for method in route.methods - {"HEAD"}]
    api = [("GET", "/studies"), ("GET", "/studies/{}/trials"), ("GET", "/studies/{}/certificate")]
    api += [("GET", "/studies/{}/export"), ("POST", "/studies/{}/ask"), ("POST", "/studies/{}/trials/0/tell")]
    api += [("POST", "/studies/{}/trials/0/amend"), ("GET", "/openapi.json")]
    return found + [(method, "/api/v1" + path.format(fill["{id:str}"])) for method, path in api]


def test_every_route_of_the_api_is_walked(bench, store):
    known = {(method.upper(), path) for path, each in create_api(bench).openapi()["paths"].items() for method in each}
    which = base().rpartition("/")[2]
    walked = {(method, path.removeprefix("/api/v1")) for method, path in every_path(store) if path.startswith("/api")}
    filled = {(method, path.replace("{id}", which).replace("{number}", "0")) for method, path in known}
    assert filled == walked - {("GET", "/openapi.json")}


# 1. Token and cookie -------------------------------------------------------------------------------------------------


def test_no_route_is_without_a_guard(anyone, store):
    for method, path in every_path(store):
        assert anyone.request(method, path).status_code == 401, path
    assert anyone.get("/nowhere").status_code == 401


def test_the_token_is_swapped_for_a_strict_cookie_and_leaves_the_address(anyone, doors):
    answer = anyone.get(f"/?token={doors.token}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert all(word in cookie for word in ("HttpOnly", "SameSite=Strict", "Path=/"))
    assert doors.token not in cookie
    assert anyone.get("/").status_code == 200


@pytest.mark.parametrize("token", ["", "x", "é", "A" * 43])
def test_another_token_opens_nothing(anyone, token):
    assert anyone.get("/", params={"token": token}).status_code == 401
    assert anyone.get("/api/v1/studies", headers={"authorization": f"Bearer {token}".encode()}).status_code == 401


def test_the_token_in_the_address_opens_the_start_page_only(anyone, doors):
    assert anyone.get(f"{base()}?token={doors.token}").status_code == 401
    assert anyone.post(f"/?token={doors.token}").status_code == 401


def test_robots_bear_the_token_and_only_to_the_api(anyone, doors):
    bearer = {"authorization": f"Bearer {doors.token}"}
    assert anyone.get("/api/v1/studies", headers=bearer).status_code == 200
    assert anyone.get(base(), headers=bearer).status_code == 401


def test_tokens_are_long_and_new():
    one, two = Doors.at(1), Doors.at(1)
    assert len(one.token) >= 43
    assert len({one.token, two.token, one.cookie, two.cookie}) == 4
    assert one.token not in repr(one)


# 2. Host -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1:8734.evil.example",
        "127.0.0.1:8734:8734",
        "",
        "[::1]:8734",
    ],
)
def test_another_host_is_refused_even_with_the_cookie(ada, host):
    assert ada.get("/", headers={"host": host}).status_code == 421


def test_two_hosts_are_refused(ada):
    assert ada.get("/", headers=[("host", HOST), ("host", HOST)]).status_code == 421


def test_our_own_names_are_taken(ada):
    for host in (HOST, "localhost:8734", "LOCALHOST:8734"):
        assert ada.get("/", headers={"host": host}).status_code == 200


# 3. Writes come from our own pages -----------------------------------------------------------------------------------

FOREIGN = [
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "none"},
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"origin": "http://127.0.0.1:8735"},
    {"origin": f"https://{HOST}"},
    {"sec-fetch-site": "same-origin", "origin": "http://evil.example"},
]


@pytest.mark.parametrize("headers", FOREIGN)
def test_no_write_is_taken_from_another_site(ada, store, headers):
    small(store, pending=1)
    before = events(store)
    for method, path in every_path(store):
        if method != "GET":
            assert ada.request(method, path, headers=headers, data={"do": "failed"}).status_code == 403, path
    for method in ("PUT", "PATCH", "DELETE", "OPTIONS"):
        assert ada.request(method, "/", headers=headers).status_code == 403
    assert events(store) == before


OURS = [
    {},  # a program
    {"origin": f"http://{HOST}"},
    {"sec-fetch-site": "same-origin"},
    {"sec-fetch-site": "same-origin", "origin": f"http://{HOST}"},
    {"sec-fetch-site": "same-origin", "origin": "null"},  # a form, under our referrer policy
]


@pytest.mark.parametrize("headers", OURS)
def test_writes_of_our_own_pages_and_of_programs_are_taken(ada, store, headers):
    small(store, pending=1)
    assert ada.post(f"{base()}/t/0/record", data={"do": "failed"}, headers=headers).status_code == 303


def test_no_get_writes(ada, store):
    small(store, results=5, pending=2)
    before = events(store)
    for method, path in every_path(store):
        if method == "GET":
            ada.get(path)
            ada.get(path, params={"do": "failed", "key": "k" * 12, "count": "3", "v0": "1", "reason": "r"})
    assert events(store) == before
    assert Study.names(store) == ["acids"]


def test_every_route_takes_one_method():
    for route in routes():
        assert isinstance(route, Route)
        assert route.methods in ({"GET", "HEAD"}, {"POST"}), route.path


# 4. Headers, and nothing inline --------------------------------------------------------------------------------------


def test_every_answer_has_the_headers(anyone, ada, store):
    answers = [anyone.get("/"), ada.get("/", headers={"host": "evil.example"}), ada.get("/nowhere")]
    answers += [ada.request(method, path) for method, path in every_path(store)]
    for answer in answers:
        headers = answer.headers
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
        assert len(headers.get_list("content-security-policy")) == 1


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_templates_have_nothing_inline(path):
    text = path.read_text()
    assert not re.search(r"<style|\sstyle\s*=|javascript:|\son[a-z]+\s*=", text, re.IGNORECASE)
    assert all("src=" in tag and tag.endswith("></script>") for tag in re.findall(r"<script.*?</script>", text, re.S))
    assert not re.search(r"https?://(?!www\.w3\.org/)", text)
    assert "hx-on" not in text
    assert "hx-vals='js" not in text


# 5. Escaping ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_templates_escape_everything(path):
    text = path.read_text()
    assert not re.search(r"\|\s*safe|autoescape\s+false|\|\s*tojson|xmlattr", text)
    assert not re.search(r"\s[\w-]+=\s*\{\{", text), "attributes are quoted"


def test_nothing_is_marked_safe_in_code():
    for path in [*ROOM.glob("*.py")]:
        tree = ast.parse(path.read_text())
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
        assert not names & {"Markup", "__html__", "from_string"}, path.name


def test_markup_is_made_in_one_module():
    drawing = ROOM.parent / "drawing"
    for path in [*drawing.glob("*.py"), *(ROOM.parent / "lab").glob("*.py")]:
        if path.name != "svg.py":
            assert "__html__" not in path.read_text(), path.name
            assert not re.search(r"""f?["']<\w""", path.read_text()) or path.name in ("notebook.py", "page.py"), (
                path.name
            )


def test_templates_refuse_what_is_not_defined():
    from jinja2 import StrictUndefined

    from regretless.web.render import environment

    assert environment().undefined is StrictUndefined
    assert environment().autoescape is True


# 6. Limits -----------------------------------------------------------------------------------------------------------


def test_large_bodies_are_refused(ada, store):
    small(store, pending=1)
    large = "1" * (LARGEST_BODY + 1)
    assert ada.post(f"{base()}/t/0/record", data={"v0": large}).status_code == 413
    assert ada.post(f"/api/v1{base().replace('/s/', '/studies/')}/ask", content=large).status_code == 413
    huge = b"a,b\n" + b"1,2\n" * (LARGEST_FILE // 4 + 300_000)
    assert ada.post("/new/file", files={"file": ("a.csv", huge)}).status_code == 413


def test_a_body_that_hides_its_length_is_cut_off(ada, store):
    small(store, pending=1)

    def pieces():
        for _ in range(LARGEST_BODY // 10_000 + 2):
            yield b"x" * 10_000

    headers = {"content-type": "application/x-www-form-urlencoded"}
    assert ada.post(f"{base()}/t/0/record", content=pieces(), headers=headers).status_code == 413


def test_compressed_bodies_are_refused(ada, store):
    small(store, pending=1)
    packed = gzip.compress(b"do=failed")
    headers = {"content-encoding": "gzip", "content-type": "application/x-www-form-urlencoded"}
    assert ada.post(f"{base()}/t/0/record", content=packed, headers=headers).status_code == 415


def test_a_workbook_that_unpacks_to_very_much_is_refused(ada):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * 210_000_000)
    answer = ada.post("/new/file", files={"file": ("bomb.xlsx", stream.getvalue())})
    assert answer.status_code == 422
    assert "unpacks to more than" in answer.text


def test_a_form_has_so_many_fields(ada, store):
    small(store, pending=1)
    assert ada.post(f"{base()}/t/0/record", data={f"x{i}": "1" for i in range(500)}).status_code == 400


def test_a_request_ends(doors):
    async def forever(scope, receive, send):
        import asyncio

        await asyncio.sleep(60)

    client = TestClient(Guard(forever, doors, patience=0.05), base_url=f"http://{HOST}")
    client.cookies.set(doors.cookie_name, doors.cookie)
    assert client.get("/").status_code == 503


# 7. CSV --------------------------------------------------------------------------------------------------------------


def test_formulas_are_made_harmless_in_files(ada, store):
    rows = [{"what": text} for text in ("=1+1", "+1+1", "-cmd", "@sum", "plain")]
    with Study.open(store, "acids", space=rows, objective="=yield", seed=1, author="=Ada()") as study:
        for row in range(5):
            study.add(row=row, value=float(row))
    text = ada.get(f"{base()}/trials.csv").text
    cells = [cell for line in text.splitlines() for cell in line.split(",")]
    assert not [cell for cell in cells if cell[:1] in "=+@" and cell]
    assert "'=1+1" in cells
    assert "'-cmd" in cells


def test_a_bad_row_is_named_and_nothing_is_made(ada, store):
    small(store)
    answer = ada.post("/new/file", files={"file": ("a.csv", b"T,yield\n20,1\n30,oops\n")})
    location = answer.headers["location"]
    page = ada.post(f"{location}/create", data={"name": "n", "role0": "factor", "role1": "maximise"})
    assert page.status_code == 422
    assert "line 3" in page.text
    assert Study.names(store) == ["acids"]


# 8. Twice is once: tests/web/test_pages.py ---------------------------------------------------------------------------
# 9. No path, no URL --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["../app.py", "..%2fapp.py", "%2e%2e/guard.py", "/etc/passwd", "style.css/../x", "htmx"]
)
def test_no_file_is_served_by_a_path(ada, name):
    assert ada.get(f"/static/{name}").status_code == 404


def test_a_file_name_is_only_shown(ada, store, tmp_path):
    small(store)
    answer = ada.post("/new/file", files={"file": ("../../<b>evil</b>.csv", b"T\n1\n2\n")})
    page = ada.goes(answer.headers["location"])
    assert "&lt;b&gt;evil&lt;/b&gt;.csv" not in page or "<b>evil" not in page
    assert not list(tmp_path.parent.glob("*evil*"))
    missing = ada.post("/new/file", files={"file": ("/etc/passwd", b"")})
    assert missing.status_code == 422
    assert "/tmp/" not in missing.text


def test_the_log_has_no_queries(anyone, doors, caplog):
    caplog.set_level("INFO", logger="regretless.web")
    anyone.get(f"/?token={doors.token}&secret=1")
    lines = [record.getMessage() for record in caplog.records if record.name == "regretless.web"]
    assert lines == ["GET / 303"]


def test_going_somewhere_after_a_name_stays_here(ada, store):
    small(store)
    for study in ("//evil.example", "http://evil.example", "../x"):
        answer = ada.post("/who", data={"name": "Ada", "study": study})
        assert answer.headers["location"] == "/"
    known = base().rpartition("/")[2]
    assert ada.post("/who", data={"name": "Ada", "study": known}).headers["location"] == base()


def test_a_downloads_name_is_plain(ada, store):
    name = 'a"b;/<y> é'
    small(store, name)
    said = ada.get(f"{base(name)}/trials.csv").headers["content-disposition"]
    assert said == 'attachment; filename="a_b_y.csv"'


def test_errors_of_ours_say_nothing_of_the_inside(doors, store, monkeypatch):
    small(store)
    bench = Bench(store)
    monkeypatch.setattr(Bench, "names", lambda _: 1 / 0)
    with TestClient(create_app(bench, doors), base_url=f"http://{HOST}", raise_server_exceptions=False) as client:
        client.cookies.set(doors.cookie_name, doors.cookie)
        answer = client.get("/")
    assert answer.status_code == 500
    assert "ZeroDivision" not in answer.text
    bench.close()
