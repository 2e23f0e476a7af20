// Uses the gateway as a person's agent would: address and token by "Belay: Copy Gateway URL or Token", then requests.

const POLL_MS = 50;
const MOST_WAITS = 200;

/** Reads URL and token through the command and the clipboard. */
export async function copyAddress(window) {
  await window.ctx.grantPermissions(['clipboard-read', 'clipboard-write']);
  return { url: await copied(window, 'Copy URL'), token: await copied(window, 'Copy Token') };
}

async function copied({ page, runCommand }, label) {
  await page.evaluate(() => globalThis.navigator.clipboard.writeText(''));
  await runCommand('Belay: Copy Gateway URL or Token');
  await page.locator('.quick-input-widget .monaco-list-row', { hasText: label }).click();
  for (let waits = 0; waits < MOST_WAITS; waits += 1) {
    const text = await page.evaluate(() => globalThis.navigator.clipboard.readText());
    if (text !== '') return text;
    await page.waitForTimeout(POLL_MS);
  }
  throw new Error(`"${label}" has put nothing on the clipboard`);
}

/** One streamed request; returns the status, the serving candidate and the whole text of the stream. */
export async function ask({ url, token }, content, model = '*') {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content }] }),
  });
  return { status: response.status, candidate: response.headers.get('x-belay-candidate'), text: await response.text() };
}
