"""What kind of text a source has: by it and the language a text finds its model of sentiment."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from scoop.core import urls
from scoop.core.sentiment import TextKind

TextKindSetting = Literal["auto", "news", "developer", "social", "review", "report"]

_BY_SOURCE: Mapping[str, TextKind] = {
    "rss": "news", "site": "news", "tavily": "news", "http": "news", "newsstand": "news",
    "hackernews": "developer", "arxiv": "report", "reddit": "social", "youtube": "social",
}  # fmt: skip
_BY_PLATFORM: Mapping[str, TextKind] = {"hn": "developer", "arxiv": "report", "reddit": "social", "youtube": "social"}
_BY_HOST: Mapping[TextKind, tuple[str, ...]] = {
    "developer": (
        "stackoverflow.com", "serverfault.com", "superuser.com", "askubuntu.com", "github.com", "gitlab.com",
        "codeberg.org", "bitbucket.org", "news.ycombinator.com", "hnrss.org", "lobste.rs", "dev.to", "hashnode.dev",
        "programming.dev", "fosstodon.org", "hachyderm.io", "discuss.python.org", "users.rust-lang.org",
        "internals.rust-lang.org", "discuss.kubernetes.io", "forums.docker.com", "qiita.com", "zenn.dev", "habr.com",
        "v2ex.com", "segmentfault.com", "juejin.cn",
    ),
    "social": (
        "reddit.com", "youtube.com", "mastodon.social", "mastodon.online", "bsky.app", "x.com", "twitter.com",
        "facebook.com", "threads.net", "lemmy.world", "lemmy.ml", "weibo.com", "zhihu.com", "tieba.baidu.com", "vk.com",
    ),
    "review": (
        "itunes.apple.com", "apps.apple.com", "trustpilot.com", "g2.com", "capterra.com", "trustradius.com",
        "getapp.com", "yelp.com",
    ),
    "report": ("sec.gov", "arxiv.org", "disclosure2.edinet-fsa.go.jp", "release.tdnet.info"),
}  # fmt: skip
_KIND_BY_HOST = {host: kind for kind, hosts in _BY_HOST.items() for host in hosts}
_SUBREDDITS = (
    "programming programminglanguages coding compsci learnprogramming askprogramming cscareerquestions"
    " experienceddevs softwareengineering softwarearchitecture python learnpython pythontips rust golang java javahelp"
    " cpp cpp_questions c_programming csharp dotnet php laravel symfony ruby rails rubyonrails swift swiftui kotlin"
    " android_devs scala haskell ocaml erlang elixir clojure fsharp lua perl zig nim julialang rlanguage rstats"
    " typescript node deno reactjs react_native nextjs angular angular2 vuejs svelte sveltejs css html5 frontend"
    " backend flask django djangolearning fastapi devops sre kubernetes docker containers terraform ansible jenkinsci"
    " aws awslambda azure googlecloud linux linuxadmin linuxquestions commandline bash shell zsh powershell sysadmin"
    " homelab selfhosted netsec reverseengineering embedded arduino esp32 raspberry_pi fpga vim neovim emacs vscode"
    " jetbrains git github gitlab opensource database databases postgresql mysql mongodb redis sqlite elasticsearch"
    " apachekafka dataengineering datascience learnmachinelearning machinelearning deeplearning localllama llmdevs"
    " langchain ollama openai_dev chatgptcoding cursor claudecode godot unity3d unrealengine graphics_programming"
    " opengl vulkan qt wasm webassembly archlinux nixos debian ubuntu fedora freebsd openbsd"
)
_SUBREDDITS_ABOUT_CODE = frozenset(_SUBREDDITS.split())
_CODE_SUFFIX = re.compile(r"(?:programming|coding|devs?|js|sql)$")
_SUBREDDIT = re.compile(r"/r/(\w+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextOrigin:
    """Where a text is from: the kind and address of its source, a community on it, and what the operator says of it.

    `platform` is what a pushed item says of itself; `subreddits` may be several, as python+rust.
    """

    source_kind: str
    url: str = ""
    platform: str = ""
    subreddits: str = ""
    setting: TextKindSetting = "auto"


def kind_of(origin: TextOrigin) -> TextKind:
    """The kind of the texts of a source: what its setting says, else by its community, its address, or its plugin."""
    if origin.setting != "auto":
        return origin.setting
    if _is_about_code(origin):
        return "developer"
    by_source = _BY_PLATFORM.get(origin.platform) or _BY_SOURCE.get(origin.source_kind, "unknown")
    return _kind_of_host(origin.url) or by_source if by_source == "news" else by_source


def kind_of_title(kind: TextKind) -> TextKind:
    """The kind of a title: news has headlines, which are written in a way of their own."""
    return "headline" if kind == "news" else kind


def _is_about_code(origin: TextOrigin) -> bool:
    """Whether the community is one of developers; of several, all of them."""
    listed = origin.subreddits.strip("/").removeprefix("r/") or "+".join(_SUBREDDIT.findall(origin.url)[:1])
    names = [name.lower() for name in listed.split("+") if name]
    return bool(names) and all(name in _SUBREDDITS_ABOUT_CODE or _CODE_SUFFIX.search(name) for name in names)


def _kind_of_host(url: str) -> TextKind | None:
    """The kind of a host or of the domain that it belongs to."""
    labels = (urls.find_host(url) or "").split(".")
    domains = (".".join(labels[at:]) for at in range(len(labels) - 1))
    return next((_KIND_BY_HOST[domain] for domain in domains if domain in _KIND_BY_HOST), None)
