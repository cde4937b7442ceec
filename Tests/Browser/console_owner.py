"""An owner of campaigns without a shell: from an empty form to phones, through another person's approval, and the end of the run.

See console.py and console_owner_actions.py. The hub `news` is served by a worker; the list `everybody` has 20,000 recipients. Olga
writes, Paul approves.
"""

from console import (
    BASE, check, check_done, check_plain, confirm, expect, look, look_here, picture, press, press_until, run, see,
    sign_in, type_into)
from console_owner_actions import check_actions


def write(page):
    """By keyboard alone."""
    press(page, page.get_by_role("link", name="New campaign"))
    type_into(page, page.get_by_label("Name", exact=True), "spring")
    type_into(page, page.get_by_role("textbox", name="Hubs", exact=True), "news")
    type_into(page, page.get_by_label("List", exact=True), "everybody")
    language = page.get_by_role("group", name="Another language").first
    type_into(page, language.get_by_label("Property, Another language").first, "message")
    type_into(page, language.get_by_label("Text, Another language").first, "Spring is here")
    type_into(page, page.get_by_label("Rate", exact=True), "1000")
    approval = page.get_by_label("Approval", exact=True)
    press_until(page, approval)
    while approval.input_value() != "two":
        page.keyboard.press("ArrowDown")
    expect(page.get_by_text("Nothing is wrong with it.")).to_be_visible()
    look_here(page, "writing")
    press(page, page.locator("main button.main"))
    expect(page.locator("h1")).to_have_text("Campaign spring")


def try_it(page):
    """A test to her own people, before anybody approved it."""
    page.get_by_label("Tags of your own people").fill("team")
    page.get_by_role("button", name="Test", exact=True).click()
    confirm(page, "Send the test")
    see(page)
    expect(page.locator('[data-part="state"] .state').first).to_have_text("done")
    expect(page.locator('[data-part="counts"]')).to_contain_text("1")


def approve(browser, address):
    page, said = sign_in(browser, "paul")
    # The first page leads to what is his, and there it waits for him.
    expect(page.locator("h1")).to_have_text("Campaigns")
    expect(page.locator('[data-part="campaigns"]')).to_contain_text("your approval")
    check(page.goto(BASE + "/messages").status == 403, "who approves campaigns reads messages")
    page.goto(address)
    check(page.get_by_role("button", name="Run", exact=True).count() == 0, "who approves can start a run")
    look(page, address.removeprefix(BASE), "approval")
    part = page.locator('[data-part="changes"]')
    part.locator("form[action$='/reject-revision']").get_by_label("A word for the others").fill("a typo")
    part.get_by_role("button", name="Reject").click()
    confirm(page, "Reject it")
    see(page)
    expect(page.locator('[data-part="revisions"]')).to_contain_text("a typo")
    part.get_by_role("button", name="Approve").click()
    confirm(page, "Approve what has this hash")
    said = [line for line in said if "403" not in line]  # of the page that is not his
    check(not said, f"the console of Paul's browser said: {said}")
    page.context.close()


def state(page, word):
    expect(page.locator('[data-part="state"] .state').first).to_have_text(word)


def send(page):
    """Runs it, follows it, and stops it."""
    page.goto(BASE + "/campaigns/spring")
    page.get_by_label("Key of the run").fill("2027/03 %")
    page.get_by_role("button", name="Run", exact=True).click()
    confirm(page, "Start the run", typed="spring")
    see(page)
    state(page, "running")
    page.get_by_label("Pause it").fill("a typo")
    page.get_by_role("button", name="Pause", exact=True).last.click()
    confirm(page, "Pause the run")
    see(page)
    state(page, "paused")
    expect(page.locator('[data-part="state"]')).to_contain_text("olga: a typo")
    look_here(page, "run")
    run_address = page.url.removeprefix(BASE)
    page.get_by_label("Messages a second").fill("900")
    page.get_by_role("button", name="Set the rate").click()
    confirm(page, "Set the rate")
    see(page)
    expect(page.locator('[data-part="state"]')).to_contain_text("900")
    page.get_by_role("button", name="Resume", exact=True).last.click()
    confirm(page, "Resume the run")
    see(page)
    state(page, "running")
    page.get_by_role("button", name="Cancel", exact=True).click()
    confirm(page, "Cancel the run", typed="spring")
    see(page)
    state(page, "cancelled")
    return run_address


def check_without_script(browser, run_address):
    page, said = sign_in(browser, "olga", java_script_enabled=False)
    campaign = "/campaigns/spring"
    check_plain(page, ["/campaigns", "/campaigns/new", campaign, campaign + "/edit", run_address])
    page.context.close()


def main(browser):
    page, said = sign_in(browser, "olga")
    expect(page.locator("h1")).to_have_text("Campaigns")
    write(page)
    address = page.url
    look_here(page, "campaign")
    picture(page, "phones", page.locator('[data-part="phones"]'))
    try_it(page)
    page.goto(address)
    check(page.get_by_role("button", name="Approve").count() == 0, "she can approve what she made")
    approve(browser, address)
    run_address = send(page)
    look(page, "/campaigns", "campaigns")
    check_actions(page)
    check_without_script(browser, run_address)
    check_done()
    check(not said, f"the console of Olga's browser said: {said}")


run(main)
