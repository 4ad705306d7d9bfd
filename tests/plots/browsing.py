"""Opens reports in a browser."""

HANGS_MS = 300_000  # longer than anything takes, even on a busy machine


def unfold(page):
    """Opens the figures of all questions."""
    page.evaluate("for (const one of document.querySelectorAll('details.figures')) one.open = true")


def opened_page(browser, path):
    """Opens the page. Afterwards there must be no errors and no network requests."""
    opened = browser.new_page(viewport={"width": 1100, "height": 900}, color_scheme="light")
    opened.set_default_timeout(HANGS_MS)
    messages, requests = [], []
    opened.on("console", lambda message: messages.append(message.text))
    opened.on("pageerror", lambda error: messages.append(str(error)))
    opened.on("request", lambda request: requests.append(request.url))
    opened.goto(path.as_uri())
    wait_until_drawn(opened, "light")
    unfold(opened)
    yield opened
    assert messages == []
    assert requests == [path.as_uri()]
    opened.close()


def opened_phone(browser, path):
    """Opens the page on a phone, on which a finger points."""
    opened = browser.new_page(
        viewport={"width": 390, "height": 844}, has_touch=True, color_scheme="light"
    )
    opened.set_default_timeout(HANGS_MS)
    opened.goto(path.as_uri())
    wait_until_drawn(opened, "light")
    unfold(opened)
    yield opened
    opened.close()


def wait_until_drawn(page, theme):
    page.wait_for_selector(f"html[data-ready={theme}]")
