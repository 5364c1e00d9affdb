"""What an extension of Sphinx notes of each page: kept from one build to the next, gathered from the processes that
read, and asked which pages have to be written again.
"""


class Notes:
    """By page, what `taken` finds in it as it was read, in the environment under `name`.

    `outdated(env, notes)` names the pages that are to be written again; `before` holds the notes of the last build, and
    `read` the pages that are read in this one.
    """

    def __init__(self, name, taken, outdated):
        self.name, self.taken, self._outdated = name, taken, outdated
        self.before, self.read = {}, set()

    def of(self, env):
        return vars(env).setdefault(self.name, {})

    def connect(self, app):
        app.connect("env-before-read-docs", self.begin)
        app.connect("doctree-read", self.take)
        app.connect("env-purge-doc", self.forget)
        app.connect("env-merge-info", self.merge)
        app.connect("env-updated", self.outdated)

    def begin(self, app, env, pages):
        self.before, self.read = dict(self.of(env)), set(pages)

    def take(self, app, page):
        self.of(app.env)[app.env.docname] = self.taken(page)

    def forget(self, app, env, page):
        self.of(env).pop(page, None)

    def merge(self, app, env, pages, other):
        self.of(env).update({page: self.of(other)[page] for page in pages if page in self.of(other)})

    def outdated(self, app, env):
        return self._outdated(env, self)
