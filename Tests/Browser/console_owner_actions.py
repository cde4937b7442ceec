"""The actions on a campaign and its runs that console_owner.py does not come by: each from its button to what it changes.

The campaign `autumn` asks for no approval; its list `team` has five recipients at the hub `news`.
"""

from console import (
    BASE, check, confirm, expect, fault, look_here, press, question, remove_faults, see, sql, type_into, until)


def state(page, name="state"):
    return page.locator(f'[data-part="{name}"] .state').first


def count(status):
    return f"SELECT count(*) FROM push.message_status WHERE campaign = 'autumn' AND status = '{status}'"


def schedule(page):
    """It starts itself, does not for a while, does again, and does no more."""
    page.goto(BASE + "/campaigns/autumn")
    page.get_by_label("Days and times").fill("weekdays 09:00")
    page.get_by_label("Time zone", exact=True).fill("Europe/Berlin")
    page.get_by_role("button", name="Look at its times").click()
    question(page)
    look_here(page, "schedule")
    confirm(page, "Keep the schedule")
    see(page)
    part = page.locator('[data-part="schedule"]')
    expect(part.locator("tbody tr")).to_have_count(5)
    # A worker has worked out when it starts.
    until("SELECT count(*) FROM push.campaign_next WHERE campaign = 'autumn' AND at IS NOT NULL", "5")
    for verb, paused in [("Pause the schedule", "t"), ("Resume the schedule", "f")]:
        page.get_by_role("button", name=verb).click()
        confirm(page, verb)
        see(page)
        found = sql("SELECT schedule_paused_at IS NOT NULL FROM push.campaign WHERE name = 'autumn'")
        check(found == paused, f"{verb}: whether it is paused: {found}")
    page.get_by_label("Day and time").fill("2090-07-03T09:00")
    page.get_by_label("Time zone of that clock").fill("Europe/Berlin")
    page.get_by_role("button", name="Look at this time").click()
    confirm(page, "Keep the schedule")
    see(page)
    expect(part).to_contain_text("Once, at Mon 2090-07-03 09:00 +02:00")
    page.get_by_role("button", name="Take the schedule away").click()
    confirm(page, "Take the schedule away")
    see(page)
    expect(part.locator("tbody tr")).to_have_count(0)


def run_again(page):
    """By keyboard alone, from the list to the run. All are refused, tried again, in doubt, and sent again."""
    fault(status=400)
    page.goto(BASE + "/campaigns")
    press(page, page.get_by_role("link", name="autumn", exact=True).first)
    expect(page.locator("h1")).to_have_text("Campaign autumn")
    type_into(page, page.get_by_label("Key of the run"), "first")
    press(page, page.get_by_role("button", name="Run", exact=True))
    confirm(page, "Start the run", press=press)
    press(page, page.get_by_role("link", name="See what it changed"))
    until(count("rejected"), "5")
    remove_faults()
    fault(close="after-body")
    retry = page.get_by_role("button", name="Send again what failed")
    expect(retry).to_be_visible()
    press(page, retry)
    confirm(page, "Send again", press=press)
    until(count("in_doubt"), "5")
    remove_faults()
    see(page)
    page.get_by_role("button", name="In doubt: send them again").click()
    confirm(page, "Send them again")
    until(count("accepted"), "5")


def put_away(page):
    # Not before its run is over.
    until("SELECT state FROM push.run WHERE key = 'first'", "done")
    page.goto(BASE + "/campaigns/autumn")
    for button, verb, word in [
        ("Put the campaign away", "Put it away", "archived"), ("Bring the campaign back", "Bring it back", "ready")
    ]:
        page.get_by_role("button", name=button).click()
        confirm(page, verb)
        see(page)
        expect(state(page)).to_contain_text(word)


def check_actions(page):
    schedule(page)
    run_again(page)
    put_away(page)
