// Every class of fault in other languages than English, in sentences of our own.
import { describe, expect, it } from 'vitest';
import type { FaultClass, Observation } from '../../../../src/core/faults/fault.ts';
import { classify } from '../../../../src/core/faults/classify.ts';
import { observe, openaiBody, thrown } from './observe.ts';

interface Row {
  readonly is: FaultClass;
  readonly httpStatus: number | null;
  readonly sentence: string;
  readonly waitMs: number | null;
}

type Cells = readonly [is: FaultClass, httpStatus: number | null, sentence: string, waitMs?: number];

const cells: readonly Cells[] = [
  // Rates, with and without their waits
  ['T2', 429, 'Zu viele Anfragen. Bitte versuchen Sie es in 45 Sekunden erneut.', 45_000],
  ['T2', null, 'Ihre Anfrage wurde gedrosselt. Warten Sie 2 Minuten 5 Sekunden.', 125_000],
  ['T2', null, 'Votre demande a été limitée en débit. Attendez 3 heures avant de réessayer.', 10_800_000],
  ['T2', 429, 'Se superó el límite de solicitudes por minuto. Vuelva a intentarlo en 20 segundos.', 20_000],
  ['T2', null, 'O seu pedido foi limitado pela taxa. Tente novamente em 1 hora e 10 minutos.', 4_200_000],
  ['T2', null, 'Troppe richieste. Riprova tra 90 secondi.', 90_000],
  ['T2', 429, 'Превышен лимит запросов. Повторите попытку через 15 секунд.', 15_000],
  ['T2', null, 'Zbyt wiele żądań. Spróbuj ponownie za 30 sekund.', 30_000],
  ['T2', null, 'Příliš mnoho požadavků. Zkuste to znovu za 5 minut.', 300_000],
  ['T2', null, 'Çok fazla istek gönderildi. 40 saniye sonra tekrar deneyin.', 40_000],
  ['T2', 429, 'リクエストが多すぎます。30秒後に再試行してください。', 30_000],
  ['T2', 429, '요청 한도를 초과했습니다. 1분 30초 후 다시 시도하세요.', 90_000],
  ['T2', null, '请求过于频繁，请等待 2 小时 后再试。', 7_200_000],
  ['T2', null, '您的請求受到速率限制，請在 12 秒後重試。', 12_000],
  ['T2', null, 'Das Kontingent für heute ist ausgeschöpft.'],
  ['T2', null, 'Ihre Anfrage wurde eingeschränkt, warten Sie 10 Sekunden.', 10_000],
  ['T2', null, 'Скорость ваших запросов ограничена, подождите 9 секунд.', 9000],
  ['T2', null, 'Votre demande a été limitée.'],
  // No room
  ['T4', 503, 'Wegen hoher Auslastung ist gerade keine Antwort möglich.'],
  ['T4', 503, 'Le modèle est actuellement saturé par une forte demande.'],
  ['T4', 503, 'O modelo está sobrecarregado no momento.'],
  ['T4', 503, 'Il servizio è sovraccarico.'],
  ['T4', 503, 'Сервис испытывает высокую нагрузку.'],
  ['T4', 503, '現在アクセスが集中しており、応答できません。'],
  ['T4', 500, '현재 트래픽이 많아 처리할 수 없습니다.'],
  ['T4', 429, '目前伺服器忙碌中'],
  // Too large
  ['T6', 400, 'Der Prompt ist zu lang für das Kontextfenster.'],
  ['T6', 400, 'Votre message est trop long pour ce modèle.'],
  ['T6', 400, 'La entrada es demasiado larga.'],
  ['T6', 400, 'A mensagem é muito longa.'],
  ['T6', 400, 'Il messaggio è troppo lungo.'],
  ['T6', 400, 'Слишком длинный запрос.'],
  ['T6', 400, '入力が長すぎます。'],
  ['T6', 400, '입력이 너무 깁니다.'],
  ['T6', 400, '輸入內容過長'],
  // Money, rights, names
  ['T7', 429, 'Ihr Guthaben ist erschöpft.'],
  ['T7', 500, 'Votre solde est insuffisant.'],
  ['T7', null, 'No tiene saldo suficiente: saldo agotado'],
  ['T7', null, 'На балансе недостаточно средств.'],
  ['T7', null, 'クレジットが不足しています。'],
  ['T7', 429, '결제 수단이 필요합니다: 결제 실패'],
  ['T7', null, 'Der API-Schlüssel ist ungültig.'],
  ['T7', null, 'Clé API invalide.'],
  ['T7', null, 'La clave de API no es válida.'],
  ['T7', null, 'Accesso negato.'],
  ['T7', null, 'Неверный ключ API.'],
  ['T7', null, 'アクセスが拒否されました。'],
  ['T7', null, '인증에 실패했습니다.'],
  ['T7', null, '拒绝访问'],
  ['T7', null, 'Das Modell existiert nicht: Modell nicht gefunden'],
  ['T7', null, 'Le modèle demandé est introuvable.'],
  ['T7', null, 'Модель не найдена.'],
  ['T7', null, 'Das Zertifikat ist abgelaufen.'],
  ['T7', null, '証明書を検証できません。'],
  // The clock and the wire
  ['T3', null, 'Das Zeitlimit für den Vorgang wurde erreicht.'],
  ['T3', null, "Le délai d'attente de la demande a expiré."],
  ['T3', null, 'Se agotó el tiempo de espera de la operación.'],
  ['T3', null, 'O tempo limite da operação foi atingido.'],
  ['T3', null, 'Превышено время ожидания ответа.'],
  ['T3', null, '操作がタイムアウトしました。'],
  ['T3', null, '작업 시간이 초과되었습니다.'],
  ['T3', null, '请求超时'],
  ['T1', null, 'Es konnte keine Verbindung hergestellt werden, da der Zielcomputer die Verbindung verweigerte.'],
  ['T1', null, 'La connexion a été fermée de manière inattendue.'],
  ['T1', null, 'La conexión fue rechazada por el equipo remoto.'],
  ['T1', null, 'A conexão foi redefinida.'],
  ['T1', null, 'Connessione interrotta.'],
  ['T1', null, 'Не удалось установить соединение с сервером.'],
  ['T1', null, 'サーバーに接続できませんでした。'],
  ['T1', null, '연결이 거부되었습니다.'],
  ['T1', null, '由于目标计算机积极拒绝，无法连接。'],
  ['T1', 500, 'Interner Serverfehler'],
  ['T1', null, 'Service temporairement indisponible'],
  ['T1', null, '服务暂时不可用'],
  ['V1', 200, 'Die Antwort ist leer: leere Antwort'],
  ['V1', null, 'Aucune réponse n’a été renvoyée.'],
  ['V1', null, 'La respuesta alcanzó el límite de longitud.'],
  ['V1', null, '回答已达到长度限制'],
  ['V1', null, '回答が長さの上限に達しました。'],
  ['T7', null, 'Das monatliche Kontingent wurde erreicht.'],
  ['T7', null, 'Cuota mensual alcanzada'],
];

const rows: readonly Row[] = cells.map(([is, httpStatus, sentence, waitMs = null]) => ({
  is,
  httpStatus,
  sentence,
  waitMs,
}));

describe('in other languages', () => {
  it.each(rows)('$is (status $httpStatus): $sentence', ({ is, httpStatus, sentence, waitMs }) => {
    const places: readonly Partial<Observation>[] =
      httpStatus === null
        ? [
            { clientError: thrown('Error', sentence) },
            { provider: 'vscode', clientError: thrown('LanguageModelError', sentence, 'Unknown') },
          ]
        : [{ httpStatus, body: openaiBody(sentence) }];
    for (const seen of places) {
      const fault = classify(observe(seen), 0);
      expect([fault.class, fault.evidence]).toEqual([is, fault.evidence]);
      if (waitMs !== null) expect(fault.retryAfterMs).toBe(waitMs);
    }
  });

  it('say nothing of a write: its outcome stays unknown', () => {
    for (const { sentence } of rows) {
      const fault = classify(
        observe({ operation: 'tool_write', streamPhase: null, clientError: thrown('Error', sentence) }),
        0,
      );
      expect([sentence, fault.retryable, fault.action === 'RETRY']).toEqual([sentence, false, false]);
    }
  });

  it('say nothing against a status that is final', () => {
    for (const { sentence } of rows) {
      for (const httpStatus of [400, 401, 402, 403, 404]) {
        const fault = classify(observe({ httpStatus, body: openaiBody(sentence) }), 0);
        expect([sentence, httpStatus, fault.retryable]).toEqual([sentence, httpStatus, false]);
      }
    }
  });
});
