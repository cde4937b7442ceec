// What one types in the form with data-looks, the server looks at.
const form = document.querySelector("[data-looks]");
let typing;

async function lookAtForm() {
  const body = new URLSearchParams(new FormData(form));
  body.set("do", "look");
  const mine = typing;
  // None, too, is one that breaks off in the middle.
  const answer = await fetch(form.action, { method: "POST", body })
    .then(async (got) => ({ ok: got.ok, status: got.status, html: await got.text() })).catch(() => {});
  if (mine !== typing) return;
  const why = answer?.status === 401 ? "nobody is signed in: sign in in another tab" : `answer ${answer?.status ?? "none"}`;
  document.getElementById("looking").textContent = answer?.ok ? "" : `Not looked at (${why}). What you typed stays.`;
  if (!answer?.ok) return;
  exchange(pageOf(answer.html), (part) => !part.contains(document.activeElement));
  for (const { id, children } of form.querySelectorAll("[id^=p-]"))
    document.getElementById(id.replace("p", "f"))?.setAttribute("aria-invalid", children.length > 0);
  finish();
}

function lookSoon() {
  clearTimeout(typing);
  typing = setTimeout(lookAtForm, 600);
}

addEventListener("input", (event) => { if (form && event.target.form === form) lookSoon(); });
if (form && isTypedIn(form)) lookSoon();
