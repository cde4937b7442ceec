"""The actions of somebody on call, each from its button to what it changes at the hub or in the database. See console_oncall.py.

The hub `news` is open, with two rejected messages and one in doubt; both keys of it are good.
"""

from console import (
    BASE, check, confirm, expect, fault, look_here, picture, question, remove_faults, see, sql, until)


def part(page, name):
    return page.locator(f'[data-part="{name}"]')


def state(page, name="state"):
    return part(page, name).locator(".state").first


def choose(page, address, count=1):
    """Ticks the newest messages of a list, and says which they are."""
    page.goto(BASE + address)
    boxes = page.locator("tbody input[type=checkbox]")
    for index in range(count):
        boxes.nth(index).check()
    return [boxes.nth(index).get_attribute("value") for index in range(count)]


def rate_and_key(page):
    page.goto(BASE + "/hubs/news")
    page.get_by_label("Posts a second").fill("fast")
    page.get_by_role("button", name="Set the rate").click()
    # What cannot be read is asked for again.
    expect(page.locator("#mend-problem")).to_contain_text("How many posts a second?")
    look_here(page, "mend")
    page.locator("#mend").fill("250")
    page.get_by_role("button", name="Go on").click()
    confirm(page, "Set the rate")
    see(page)
    expect(part(page, "sending")).to_contain_text("250")
    # Workers went to the second one when both were refused.
    other = "secondary" if sql("SELECT key FROM push.hub_health WHERE hub = 'news'") == "primary" else "primary"
    page.get_by_role("button", name="Use the other key").click()
    confirm(page, "Use the other key")
    see(page)
    expect(part(page, "sending").locator("dd").first).to_contain_text(f"{other} since")


def retry(page):
    """One, then all that are left; the hub asks to wait, and a person opens its gate."""
    chosen = choose(page, "/messages?hub=news&status=rejected")
    page.get_by_role("button", name="Send again", exact=True).click()
    confirm(page, "Send again")
    see(page)
    expect(state(page, "message")).to_have_text("accepted")
    check(page.url.endswith(f"/messages/{chosen[0]}"), f"another page than that of the message: {page.url}")
    fault(next=1, status=429, retryAfter=3000)
    page.goto(BASE + "/failures")
    page.locator("main form[action$='/retry-all']").get_by_role("button", name="Send again").click()
    confirm(page, "Send again")
    until("SELECT state FROM push.hub_health WHERE hub = 'news'", "gate closed")
    page.goto(BASE + "/hubs/news")
    expect(state(page)).to_have_text("gate closed")
    page.get_by_role("button", name="Open the gate").click()
    confirm(page, "Open the gate")
    see(page)
    expect(state(page)).to_have_text("open")
    until("SELECT count(*) FROM push.message_status WHERE status = 'rejected'", "0")


def doubts(page):
    page.goto(BASE + "/failures")
    page.locator("main form[action$='/resolve-all']").get_by_role("button", name="Send them again").click()
    confirm(page, "Send them again")
    see(page)
    expect(page.locator("main form[action$='/resolve-all']")).to_have_count(0)
    until("SELECT count(*) FROM push.message_status WHERE status <> 'accepted'", "0")


def what_waits(page):
    """Messages for a hub that no worker serves: one is cancelled, one erased, then all of them cancelled."""
    sql("""SELECT push.add_hub('idle');
           INSERT INTO push.message (hub, tag, content)
           SELECT 'idle', 'World', '{"message": "waits"}' FROM generate_series(1, 5)""")
    ids = choose(page, "/messages?hub=idle", 2)
    page.get_by_role("button", name="Cancel", exact=True).click()
    confirm(page, "Cancel")
    found = sql(f"SELECT DISTINCT status FROM push.message_status WHERE id IN ({','.join(ids)})")
    check(found == "cancelled", f"chosen ones are {found}")
    one = sql("SELECT max(id) FROM push.message_status WHERE hub = 'idle' AND status = 'due'")
    page.goto(f"{BASE}/messages/{one}")
    page.get_by_role("button", name="Erase").click()
    question(page)
    page.locator(".elsewhere summary").click()
    picture(page, "erase", page.locator(".elsewhere"))
    look_here(page, "question")
    confirm(page, "Erase", typed=one)
    see(page)
    expect(state(page, "message")).to_have_text("cancelled")
    check(sql(f"SELECT count(*) FROM push.message WHERE id = {one} AND tag = 'World'") == "0", "the tag is still there")
    page.goto(BASE + "/messages?hub=idle")
    page.get_by_role("button", name="Cancel all").click()
    confirm(page, "Cancel all")
    look_here(page, "action")
    until("SELECT count(*) FROM push.due", "0")


def devices(page):
    """The hub asks to wait with devices: one change is cancelled, another one tried again."""
    fault(operation="installation", status=429, retryAfter=3000)
    sql("SELECT push.put_device('news', 'phone-1', 'apns', '00', tags => '{World}')")
    until("SELECT state FROM push.device_backlog WHERE hub = 'news'", "closed")
    page.goto(BASE + "/devices?hub=news")
    page.get_by_role("button", name="Cancel what waits at this hub").click()
    confirm(page, "Cancel the changes", typed="news")
    check(sql("SELECT status FROM push.find_changes('news', 'phone-1')") == "refused", "the change was not cancelled")
    remove_faults()
    sql("SELECT push.put_device('news', 'phone-2', 'apns', '00', tags => '{World}')")
    page.goto(BASE + "/hubs/news")
    expect(state(page, "devices")).to_have_text("closed")
    page.get_by_role("button", name="Try devices again").click()
    confirm(page, "Try devices again")
    see(page)
    expect(state(page, "devices")).to_have_text("open")
    until("SELECT status FROM push.find_changes('news', 'phone-2')", "applied")


def rescue(page):
    """A worker that is dead holds a message; the living one has longer patience than this test."""
    sql("""INSERT INTO push.message (hub, tag, content) VALUES ('idle', 'World', '{"message": "held"}');
           INSERT INTO push.claim (id, worker, epoch, hub, priority, ids, attempts)
           SELECT nextval('push.claim_id'), w.id, w.epoch, d.hub, d.priority, ARRAY[d.id], '{0}'
             FROM push_worker.register_v1('gone/1', 'test', 15) w, push.due d;
           DELETE FROM push.due;
           UPDATE push.worker SET beat_at = now() - interval '1 h' WHERE name = 'gone/1'""")
    page.goto(BASE + "/")
    page.locator("tr", has_text="gone/1").get_by_role("button", name="Rescue what it holds").click()
    confirm(page, "Rescue")
    see(page)
    expect(part(page, "workers")).not_to_contain_text("gone/1")
    check(sql("SELECT count(*) FROM push.due") == "1", "what the dead worker held is not due again")


def check_actions(page):
    rate_and_key(page)
    retry(page)
    doubts(page)
    what_waits(page)
    devices(page)
    rescue(page)
