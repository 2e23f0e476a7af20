// What an HTML page in place of an answer is: somebody's sign-in, or the notice of a filter that guards the network. Both are
// put there by whoever runs the network, not by the provider, and a person has to settle them. Plain spelling (foldText.ts).

const PAGE_START = /^\s{0,1000}<(?:!doctype\s+html|html|head|body)\b/i;

/** True when the body itself is a page; a page quoted in a message is not. */
export function isPage(body: unknown): boolean {
  return typeof body === 'string' && PAGE_START.test(body.slice(0, 2000));
}

const SIGN_IN =
  /\b(?:sign|log)[ -]?(?:in|on)\b[^\n]{0,40}(?:to|required|page|account|continue|<)|samlrequest|oauth2?\/authorize|type="?password|captive portal|\bsso\b|single sign-on|\banmeld(?:en|ung)\b|se connecter|iniciar sesion|fazer login|accedi\b|войти|ログイン|로그인|登录|登入/;

/** A page that wants somebody to sign in first. */
export function isSignInPage(text: string): boolean {
  return SIGN_IN.test(text);
}

const NETWORK_FILTER =
  /web ?(?:page )?filter|url filter|fortigu?ard|fortinet|zscaler|umbrella|forcepoint|websense|sophos|barracuda|palo alto|bluecoat|blue coat|netskope|mcafee|checkpoint|squid|content filtering (?:appliance|gateway)|internet (?:usage|use|access) policy|(?:web ?)?(?:site|page)[^\n]{0,30}(?:blocked|restricted)|blocked by your (?:organi[sz]ation|administrator|network|company|school)|firewall|url (?:is |was )?blocked|(?:pagina|site|sitio|seite|page|sito)[^\n]{0,30}(?:bloque|blockiert|gesperrt|bloccat|bloquead)|网页[^\n]{0,8}(?:拦截|阻止)|该网站|ページ[^\n]{0,12}ブロック/;

/** The notice of a firewall or a company's web filter. */
export function isNetworkFilterPage(text: string): boolean {
  return NETWORK_FILTER.test(text);
}
