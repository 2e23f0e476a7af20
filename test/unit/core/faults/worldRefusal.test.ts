// Refusals and blocks in the languages that editors and models speak: told as an error, and as the model's own answer.
import { describe, expect, it } from 'vitest';
import { classify } from '../../../../src/core/faults/classify.ts';
import { observe, openaiBody, thrown } from './observe.ts';

const told: readonly (readonly [language: string, sentence: string])[] = [
  ['German', 'Die Antwort wurde vom Dienst für verantwortungsvolle KI blockiert.'],
  ['German', 'Ihre Eingabe verstößt gegen unsere Inhaltsrichtlinien.'],
  ['Dutch', 'Het antwoord is geblokkeerd vanwege ons beleid voor inhoud.'],
  ['French', "Votre message a été bloqué car il est contraire à nos règles d'utilisation."],
  ['French', 'Contenu inapproprié détecté dans la demande.'],
  ['Spanish', 'Su mensaje fue rechazado por infringir la política de contenido.'],
  ['Spanish', 'La salida se bloqueó: contenido inapropiado.'],
  ['Portuguese', 'A resposta foi bloqueada pelo serviço de IA responsável.'],
  ['Portuguese', 'O pedido viola as diretrizes de uso.'],
  ['Italian', 'La risposta è stata filtrata dal servizio di intelligenza artificiale responsabile.'],
  ['Italian', 'La richiesta viola le linee guida sui contenuti.'],
  ['Russian', 'Ответ отфильтрован службой ответственного ИИ.'],
  ['Russian', 'Запрос нарушает правила использования сервиса.'],
  ['Ukrainian', 'Запит відхилено: він порушує політику вмісту.'],
  ['Polish', 'Odpowiedź została zablokowana, ponieważ narusza zasady dotyczące treści.'],
  ['Czech', 'Odpověď byla odfiltrována službou zodpovědné AI.'],
  ['Turkish', 'Yanıt, sorumlu yapay zeka hizmeti tarafından engellendi.'],
  ['Hungarian', 'A választ a felelős MI szolgáltatás kiszűrte.'],
  ['Japanese', '入力内容がコンテンツポリシーに抵触したためブロックされました。'],
  ['Korean', '요청이 안전 정책에 따라 차단되었습니다.'],
  ['Chinese', '回复未通过内容安全审核，已被屏蔽。'],
  ['Chinese', '該回應已被負責任 AI 服務篩選，請改寫提示。'],
  ['Copilot, public code, German', 'Die Antwort stimmte mit öffentlichem Code überein und wurde unterdrückt.'],
  ['Copilot, public code, Japanese', '応答がパブリック コードと一致したため表示できません。'],
  ['an intent filter', 'Request flagged as off_topic: not about code'],
];

const answered: readonly (readonly [language: string, sentence: string])[] = [
  ['English', "I'm afraid I can't help with this request."],
  ['English', 'I won’t discuss that subject.'],
  ['German', 'Es tut mir leid, aber dabei kann ich dir leider nicht weiterhelfen.'],
  ['German', 'Diese Frage kann ich leider nicht beantworten.'],
  ['Dutch', 'Sorry, ik kan je daar niet mee helpen.'],
  ['Swedish', 'Jag kan tyvärr inte hjälpa till med det.'],
  ['French', 'Je suis désolé, mais je ne peux pas répondre à cette demande.'],
  ['Spanish', 'Lo siento, pero no puedo ayudarte con eso.'],
  ['Portuguese', 'Sinto muito, não consigo atender a esse pedido.'],
  ['Italian', 'Mi dispiace, ma non posso aiutarti con questa richiesta.'],
  ['Russian', 'Извините, но я не могу помочь с этим.'],
  ['Russian', 'Давайте лучше поговорим о чём-нибудь другом.'],
  ['Polish', 'Przykro mi, ale nie mogę pomóc w tej sprawie.'],
  ['Turkish', 'Üzgünüm, bu konuda yardımcı olamam.'],
  ['Japanese', '恐れ入りますが、その内容についてはお答えできません。'],
  ['Korean', '죄송하지만 그 요청은 도와드릴 수 없습니다.'],
  ['Chinese', '非常抱歉，我暂时不能回答这类问题。'],
  ['Chinese', '這個問題我無法提供協助，我們換個話題吧。'],
];

describe('a refusal told as an error', () => {
  it.each(told)(
    'in %s is T8 in the editor, in a body, under a rate limit and in a broken stream: %s',
    (_language, sentence) => {
      for (const seen of [
        { provider: 'vscode', clientError: thrown('LanguageModelError', sentence, 'Unknown') },
        { httpStatus: 400, body: openaiBody(sentence) },
        { httpStatus: 429, body: openaiBody(`${sentence} Please try again later.`) },
        { httpStatus: 200, streamPhase: 'mid_stream', clientError: thrown('Error', sentence) } as const,
      ]) {
        const fault = classify(observe(seen));
        expect([fault.class, fault.retryable, fault.action, fault.evidence]).toEqual([
          'T8',
          false,
          'ESCALATE',
          fault.evidence,
        ]);
      }
    },
  );
});

describe('a refusal as the whole answer', () => {
  const answer = (content: string): ReturnType<typeof classify> =>
    classify(
      observe({
        httpStatus: 200,
        streamPhase: 'after_finish',
        finishReason: 'stop',
        body: { choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] },
      }),
    );

  it.each(answered)('in %s is T8: %s', (_language, sentence) => {
    expect(answer(sentence)).toMatchObject({ class: 'T8', action: 'ESCALATE' });
  });

  it('is not found in an answer that only quotes one at its end', () => {
    expect(
      answer(`${'The message catalogue has these texts. '.repeat(20)} Lo siento, no puedo ayudarte.`).class,
    ).not.toBe('T8');
  });

  it.each([
    'The function returns null when the file cannot be opened.',
    'Das Modul kann die Datei nicht öffnen, weil der Pfad falsch ist.',
    'La fonction ne peut pas lire le fichier.',
    'Функция не может прочитать файл.',
    'この関数はファイルを読み込みます。',
  ])('is not: %s', (sentence) => {
    expect(answer(sentence).class).not.toBe('T8');
  });
});
