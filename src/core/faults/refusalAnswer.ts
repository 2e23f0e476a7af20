// Whether an answer is nothing but a refusal, told in the model's own words. A table of how each language declines: "I cannot
// help with that", "let us talk of something else". Texts are in plain spelling (foldText.ts). Only the beginning counts:
// a longer answer may quote such a sentence.

/** More than this is no bare refusal. */
const LONGEST_REFUSAL_CHARS = 600;

const DECLINES: readonly RegExp[] = [
  /^\s*(?:(?:i'm|i am) (?:very |really |so )?(?:sorry|afraid),? ?(?:but )?(?:that )?i (?:can(?:'|no)?t|am (?:unable|not able)|won't)|(?:sorry|i apologi[sz]e|unfortunately|my apologies),? (?:but )?(?:i|we) (?:can(?:'|no)?t|(?:am|are) (?:unable|not able)))/,
  /^\s*i (?:can(?:'|no)?t|cannot|won't|will not|am unable to|am not able to|am not allowed to|am not comfortable|must decline to|have to decline) ?(?:to )?(?:help|assist|comply|provid|fulfill|continue with|engage|support|creat|generat|discuss|talk about|answer|do that|respond|participat|writ)/,
  /^\s*(?:as an ai[^\n.]{0,60}(?:can(?:'|no)?t|unable|not able)|(?:that|this) (?:is|'s)? ?(?:not )?something (?:that )?i (?:can(?:'|no)?t|won't)|let's (?:talk|chat) about something else)/,
  // German, Dutch, the northern languages
  /^[^\n]{0,60}?(?:kann|darf|werde|konnen|durfen)[^.\n]{0,60}\bnicht\b[^.\n]{0,40}?(?:helf|unterstutz|beantwort|nachkomm|erfull|bereitstell|weiterhelf|eingehen|entsprech|erstell|sprechen)/,
  /^[^\n]{0,60}?(?:dabei|damit|hierbei|hiermit|dazu)[^.\n]{0,12} kann ich[^.\n]{0,30}nicht\b/,
  /^[^\n]{0,60}?\bkan[^.\n]{0,40}\bniet\b[^.\n]{0,30}(?:help|beantwoord|voldoe|assister|bespre)/,
  /^[^\n]{0,60}?\b(?:jag|jeg) kan (?:tyvarr |desvaerre |dessverre )?(?:inte|ikke) (?:hjalpa|hjaelpe|hjelpe|svara|svare|bista|diskutera|diskutere)/,
  // The Romance languages
  /^[^\n]{0,60}?\bje (?:ne (?:peux|suis|pourrai)|n'ai)[^.\n]{0,20}\bpas\b[^.\n]{0,50}?(?:aid|repond|assist|fourni|satisf|accompl|trait|donner suite|discut|parler)/,
  /^[^\n]{0,60}?\bno (?:puedo|podemos|me es posible|estoy (?:autorizad|en condiciones|capacitad))[^.\n]{0,50}?(?:ayud|respond|cumpl|proporcion|asist|habl|atend|gener|discut|complac)/,
  /^[^\n]{0,60}?\bnao (?:posso|consigo|podemos|estou|sou capaz)[^.\n]{0,50}?(?:ajud|respond|cumpr|fornec|atend|auxili|discut|falar|gerar)/,
  /^[^\n]{0,60}?\bnon (?:posso|possiamo|sono in grado|mi e possibile)[^.\n]{0,50}?(?:aiut|rispond|assist|forni|soddisf|esaud|parl|discut|gener)/,
  // The Slavic languages, Turkish, Hungarian, Vietnamese, Indonesian
  /^[^\n]{0,60}?(?:^|\s)не (?:могу|можем|буду|в состоянии|имею возможности)[^.\n]{0,50}?(?:помо|ответ|отвеч|обсу|выполн|предостав|поддерж|говор)|^[^\n]{0,120}?(?:поговорим|побеседуем) о (?:чем-нибудь|чем-то|чем-либо|другом)/,
  /^[^\n]{0,60}?не можу[^.\n]{0,40}(?:допомог|відпов|викон|обговор)/,
  /^[^\n]{0,60}?\bnie (?:moge|mozemy|jestem w stanie)[^.\n]{0,50}?(?:pomoc|odpowied|speln|wykon|udziel|rozmaw)/,
  /^[^\n]{0,60}?(?:nemohu|nemuzu)[^.\n]{0,50}?(?:pomoc|pomoh|odpoved|vyhov|splnit)/,
  /^[^\n]{0,80}?(?:yardimci olamam|yardimci olamiyorum|yardim edemem|yerine getiremem|yanitlayamam|cevaplayamam|cevap veremem)/,
  /^[^\n]{0,60}?nem tudok[^.\n]{0,40}(?:segit|valaszol|teljesit)/,
  /^[^\n]{0,60}?(?:khong the (?:giup|tra loi|ho tro|dap ung)|tidak (?:dapat|bisa) (?:membantu|menjawab|memenuhi))/,
  // Japanese, Korean, Chinese
  /^[^\n]{0,60}?(?:お応え|お答え|回答|返答|お手伝い|手伝|対応|ご協力|協力|お力|サポート|支援|提供|お受け)[^。\n]{0,12}?(?:できません|できかねます|出来ません|いたしかね|致しかね|ことはできない|できない)/,
  /^[^\n]{0,60}?(?:도와|도움|답변|답할|답해|대답|응답|제공|지원|협조|수행|응할)[^.\n]{0,14}?(?:수 ?없|어렵습니다|않습니다|못합니다|불가능)/,
  /^[^\n]{0,60}?(?:无法|不能|不便|無法|没办法|沒辦法|不可以)[^。\n]{0,10}?(?:回答|提供|协助|協助|帮助|幫助|帮您|帮你|讨论|討論|满足|滿足|继续|繼續|处理|處理|回应|回應|参与)/,
  /^[^\n]{0,120}?(?:换个|換個|换一个|換一個)(?:别的)?(?:话题|話題|问题|問題)/,
];

/**
 * True when the answer is a bare refusal.
 * @param head the beginning of the answer's text in plain spelling
 * @param textChars how long the whole text is
 */
export function isRefusalAnswer(head: string, textChars: number): boolean {
  return textChars <= LONGEST_REFUSAL_CHARS && DECLINES.some((declines) => declines.test(head));
}
