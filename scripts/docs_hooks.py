"""MkDocs hooks: README.md, CONTRIBUTING.md and CHANGELOG.md become pages of the site, as do the source files that
pages link to, so that no link leaves it. Patterns in the navigation expand to the pages that they match."""
import fnmatch
import pathlib
import posixpath
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOP = {"README.md": "index.md", "CONTRIBUTING.md": "CONTRIBUTING.md", "CHANGELOG.md": "CHANGELOG.md"}
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
CODE = re.compile(r"(^```.*?^```|`[^`\n]*`)", re.M | re.S)


def outside_code(pattern, replace, text):
    parts = CODE.split(text)
    return "".join(part if i % 2 else pattern.sub(replace, part) for i, part in enumerate(parts))


def in_tree(name):
    """The location of a site page in the repository."""
    return {page: top for top, page in TOP.items()}.get(name, "docs/" + name)


def in_site(path):
    """The page for a file of the repository."""
    if path in TOP:
        return TOP[path]
    return path.removeprefix("docs/") if path.startswith("docs/") else f"source/{path}.md"


def relinked(text, name):
    """Rewrites links between files of the repository as links between pages."""
    here = posixpath.dirname(in_tree(name))

    def replace(match):
        path, hash_, anchor = match[2].partition("#")
        if not path or re.match(r"[a-z]+:", path):
            return match[0]
        target = in_site(posixpath.normpath(posixpath.join(here, path)))
        link = posixpath.relpath(target, posixpath.dirname(name) or ".")
        return match[1] + link + hash_ + anchor + match[3]

    return outside_code(LINK, replace, text)


def linked_sources(text, name):
    here = posixpath.dirname(in_tree(name))
    paths = []
    outside_code(LINK, lambda match: paths.append(match[2].partition("#")[0]) or match[0], text)
    paths = [posixpath.normpath(posixpath.join(here, path)) for path in paths if path and ":" not in path]
    return {path for path in paths if in_site(path).startswith("source/") and (ROOT / path).is_file()}


def source_page(path):
    language = {".h": "cpp", ".cuh": "cpp", ".cu": "cpp", ".cpp": "cpp", ".py": "python", ".sh": "sh"}
    suffix = pathlib.Path(path).suffix
    return f"# {path}\n\n````{language.get(suffix, 'text')}\n{(ROOT / path).read_text()}````\n"


def names(nav):
    """Every page and pattern of a navigation, longest first: the most specific pattern wins."""
    found = []
    for item in nav:
        value = next(iter(item.values())) if isinstance(item, dict) else item
        found += names(value) if isinstance(value, list) else [value]
    return sorted(found, key=lambda name: (("*" in name), -len(name)))


def expanded(nav, pages):
    out = []
    for item in nav:
        if isinstance(item, dict):
            out.append({title: expanded(value, pages) if isinstance(value, list) else value
                        for title, value in item.items()})
        else:
            out += pages.get(item, [item])
    return out


def on_config(config):
    patterns, pages = names(config.nav), {}
    for file in sorted((ROOT / "docs").rglob("*.md")):
        path = str(file.relative_to(ROOT / "docs"))
        taken = next((name for name in patterns if fnmatch.fnmatchcase(path, name)), None)
        if taken and "*" in taken:
            pages.setdefault(taken, []).append(path)
    config.nav = expanded(config.nav, {name: pages.get(name, []) for name in patterns if "*" in name})
    return config


def on_files(files, config):
    for top, page in TOP.items():
        files.append(File.generated(config, page, content=(ROOT / top).read_text()))
    sources = set()
    for file in list(files.documentation_pages()):
        sources |= linked_sources(file.content_string, file.src_uri)
    for path in sorted(sources):
        page = File.generated(config, in_site(path), content=source_page(path))
        page.inclusion = page.inclusion.NOT_IN_NAV
        files.append(page)
    return files


def on_page_markdown(markdown, page, **_):
    return markdown if page.file.src_uri.startswith("source/") else relinked(markdown, page.file.src_uri)
