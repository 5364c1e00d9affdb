"""A Sphinx extension: a picture that stays in view while paragraphs pass, and shows what each of them speaks of.

    :::{story}
    - `tradeoff_gallery(kind="Gaussian", epsilon=1)`

      A paragraph.

    - `tradeoff_gallery(epsilon=0.2)`

      Another one.
    :::

Each item begins with a setting of the explorer, at stops of its sliders, and is read beside the picture at this
setting. Parameters that are not named stay where they were. The first slider is the reader's; a hand on the picture
keeps it until the next paragraph has come. Who wants no motion, paper and a page without scripts get a row of pictures,
one for each paragraph.

How the picture follows the reader: book/telling.js.
"""

import ast
import json
import re
from html import escape

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import dptutor as dp
from dptutor.explore.machinery.picture import svg_panels


class story(nodes.General, nodes.Element):
    """A picture and the paragraphs beside it."""


class scene(nodes.General, nodes.Element):
    """What is read at one setting of the picture; attributes `setting` and `still`, the picture itself."""


class Story(SphinxDirective):
    has_content = True

    def run(self):
        inside = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, inside)
        if len(inside) != 1 or not isinstance(inside[0], nodes.bullet_list) or len(inside[0]) < 2:
            raise self.error("a story is a list of two or more paragraphs")
        scenes = []
        for item in inside[0]:
            begin, *text = item
            if not text:
                raise self.error(f"nothing is read at {item.astext()}")
            name, values = setting(begin.astext())
            if not scenes:
                exploration = getattr(dp.explore, name)()
                # Its ids are those of no cell of the page, whatever else this process has made.
                picture = re.sub(rf"\bdpe-{name}-\d+", f"dpe-{name}-story", exploration.frozen().html)
            if name != exploration.explorer.name:
                raise self.error(f"a story has one explorer, {exploration.explorer.name}, not {name} as well")
            exploration.set(**values)
            still = next(one for one in svg_panels(exploration, f"s{len(scenes)}") if "dpe-main" in one)
            scenes.append(scene("", *text, setting=dict(exploration.setting), still=still))
        beside = nodes.container("", nodes.raw("", picture, format="html"), classes=["story-picture"])
        made = story("", beside, *scenes)
        self.set_source_info(made)
        return [made]


def setting(text):
    """The explorer and its setting, written as its call: `tradeoff_gallery(kind="Gaussian", epsilon=1)`."""
    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise ValueError(f"this is no setting of an explorer: {text}")
    parameters = getattr(dp.explore, call.func.id).parameters
    values = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
    for name, value in values.items():
        if value not in parameters[name].values:
            raise ValueError(f"{value!r} is no stop of {name}: {text}")
    return call.func.id, values


def visit_story(writer, node):
    scenes = sum(isinstance(part, scene) for part in node)
    writer.body.append(writer.starttag(node, "div", CLASS="dptutor-story wide", style=f"--scenes: {scenes}"))


def depart_story(writer, node):
    writer.body.append("</div>\n")


def visit_scene(writer, node):
    data = escape(json.dumps(node["setting"], ensure_ascii=False))
    still = f'<div class="scene-still dptutor-explorer" aria-hidden="true">{node["still"]}</div>'
    writer.body.append(f'<div class="scene" data-setting="{data}">{still}\n')


def depart_scene(writer, node):
    writer.body.append("</div>\n")


def setup(app):
    app.add_node(story, html=(visit_story, depart_story))
    app.add_node(scene, html=(visit_scene, depart_scene))
    app.add_directive("story", Story)
    return {"version": "1", "env_version": 2, "parallel_read_safe": True, "parallel_write_safe": True}
