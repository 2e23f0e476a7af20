// What happens around an answer: silence, clients that leave or do not read, drain, the port, and the decision channel.
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startGateway } from '../../src/gateway/server.ts';
import {
  answer,
  committed,
  failed,
  fakeController,
  finished,
  partEvents,
  type ScriptStep,
} from '../support/fakeController.ts';
import { hello, sendRaw, until, withGateway } from '../support/gatewayHarness.ts';
import { virtualClock } from '../../src/adapters/time/virtualClock.ts';

const streamed = { ...hello, stream: true };
const hang: ScriptStep = { type: 'hang' };

/** A connection that has asked for a streamed answer and reads only when told to. */
function askSlowly(port: number, token: string | null): Socket {
  const body = JSON.stringify(streamed);
  const socket = connect(port, '127.0.0.1', () =>
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token ?? ''}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    ),
  );
  socket.on('error', () => undefined);
  return socket;
}

describe('an answer’s figures', () => {
  it('come in trailers to a client that takes them, after the cost is known', async () => {
    const script = [
      committed(),
      ...partEvents({ type: 'finish', reason: 'stop' }),
      finished({ costUsd: 0.5, attempts: 4 }),
    ];
    await withGateway({ script }, async ({ gateway: { port, token } }) => {
      const body = JSON.stringify(streamed);
      const text = await sendRaw(
        port,
        `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-api-key: ${token ?? ''}\r\nte: trailers\r\nconnection: close, te\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      expect(text).toMatch(
        /0\r\nx-belay-candidate: a\/main\/m@eu\r\nx-belay-rung: L0\r\nx-belay-attempts: 4\r\nx-belay-cost-usd: 0.5\r\n\r\n$/,
      );
    });
  });
});

describe('a long silence', () => {
  it('gets headers and a comment after 10 s, and a later failure as an in-stream error', async () => {
    const script = [{ type: 'wait', ms: 25_000 } as const, failed({ message: 'nobody answered', status: 504 })];
    await withGateway({ script }, async ({ post, controller, clock }) => {
      const waiting = post(streamed);
      await until(() => controller.calls.length === 1);
      await clock.advance(9_999);
      await clock.advance(1);
      const response = await waiting;
      expect(response.status).toBe(200);
      expect(response.headers.get('x-belay-request-id')).toMatch(/^req-/);
      await clock.advance(20_000);
      const text = await response.text();
      expect(text.match(/: keep-alive\n\n/g)).toHaveLength(2);
      expect(text).toContain('"message":"nobody answered"');
      expect(text).not.toContain('[DONE]');
    });
  });

  it('keeps its HTTP status when it fails within 10 s', async () => {
    const script = [{ type: 'wait', ms: 9_000 } as const, failed({ status: 504 })];
    await withGateway({ script }, async ({ post, controller, clock }) => {
      const waiting = post(streamed);
      await until(() => controller.calls.length === 1);
      await clock.advance(9_000);
      expect((await waiting).status).toBe(504);
    });
  });

  it('is still a good answer for the client, which learns the candidate from a comment', async () => {
    const script = [
      { type: 'wait', ms: 12_000 } as const,
      ...answer({ type: 'text-delta', text: 'late' }, { type: 'finish', reason: 'stop' }),
    ];
    await withGateway({ script }, async ({ client, post, controller, clock }) => {
      const waiting = client.chat.completions.create({
        model: 'm',
        messages: [{ role: 'user', content: 'x' }],
        stream: true,
      });
      const plain = post(streamed);
      await until(() => controller.calls.length === 2);
      await clock.advance(12_000);
      let text = '';
      for await (const chunk of await waiting) text += chunk.choices[0]?.delta.content ?? '';
      expect(text).toBe('late');
      expect(await (await plain).text()).toContain(
        ': x-belay-candidate=a/main/m@eu x-belay-rung=L0 x-belay-attempts=1\n\n',
      );
    });
  });
});

describe('a client that leaves', () => {
  it.each([true, false])('aborts its call at once (streamed: %s)', async (stream) => {
    const script = [committed(), ...partEvents({ type: 'text-delta', text: 'x' }), hang];
    await withGateway({ script }, async ({ get, controller }) => {
      const leave = new AbortController();
      const body = JSON.stringify({ ...hello, stream });
      const waiting = get('/v1/chat/completions', { method: 'POST', body, signal: leave.signal }).catch(
        () => undefined,
      );
      await until(() => controller.calls[0]?.taken === 2);
      expect(controller.calls[0]?.signal.aborted).toBe(false);
      leave.abort();
      await waiting;
      await until(() => controller.calls[0]?.hasEnded === true);
      expect(controller.calls[0]?.signal.aborted).toBe(true);
    });
  });

  it('aborts a call that waits for its first content', async () => {
    await withGateway({ script: [hang] }, async ({ gateway, controller }) => {
      const socket = askSlowly(gateway.port, gateway.token);
      await until(() => controller.calls.length === 1);
      socket.destroy();
      await until(() => controller.calls[0]?.hasEnded === true);
      expect(controller.calls[0]?.signal.aborted).toBe(true);
    });
  });

  it('leaves a call that was answered alone', async () => {
    await withGateway({ script: answer({ type: 'finish', reason: 'stop' }) }, async ({ post, controller }) => {
      await (await post(streamed)).text();
      expect(controller.calls[0]?.signal.aborted).toBe(false);
    });
  });
});

describe('a client that reads slowly', () => {
  const piece = 'y'.repeat(65_536);
  const many = Array.from({ length: 400 }, () => ({ type: 'text-delta', text: piece }) as const);
  const script = answer(...many, { type: 'finish', reason: 'stop' });

  it('holds the call back instead of filling memory, and still gets everything', async () => {
    await withGateway({ script }, async ({ gateway, controller }) => {
      const socket = askSlowly(gateway.port, gateway.token);
      socket.pause();
      await until(() => (controller.calls[0]?.taken ?? 0) > 2);
      let before = -1;
      while (before !== controller.calls[0]?.taken) {
        before = controller.calls[0]?.taken ?? 0;
        for (let turn = 0; turn < 500; turn++) await new Promise((resolve) => setImmediate(resolve));
      }
      expect(before).toBeLessThan(many.length);
      let text = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      socket.resume();
      await until(() => text.includes('[DONE]'));
      expect(text.split(piece)).toHaveLength(many.length + 1);
      socket.destroy();
    });
  });

  it('is dropped after 120 s in which it took nothing', async () => {
    await withGateway({ script }, async ({ gateway, controller, clock }) => {
      const socket = askSlowly(gateway.port, gateway.token);
      socket.pause();
      await until(() => (controller.calls[0]?.taken ?? 0) > 2);
      for (let turn = 0; turn < 500; turn++) await new Promise((resolve) => setImmediate(resolve));
      expect(controller.calls[0]?.hasEnded).toBe(false);
      await clock.advance(120_000);
      await until(() => controller.calls[0]?.hasEnded === true);
      expect(controller.calls[0]?.signal.aborted).toBe(true);
      socket.destroy();
    });
  });
});

describe('close', () => {
  it('lets a running answer end and refuses new requests', async () => {
    const script = [
      committed(),
      { type: 'wait', ms: 5_000 } as const,
      ...answer({ type: 'text-delta', text: 'done' }, { type: 'finish', reason: 'stop' }).slice(1),
    ];
    await withGateway({ script }, async ({ gateway, post, clock }) => {
      const response = await post(streamed);
      const closing = gateway.close();
      await clock.advance(5_000);
      expect(await response.text()).toContain('"content":"done"');
      await closing;
      await expect(post(hello)).rejects.toThrow();
    });
  });

  it('refuses a request that comes on an open connection while it drains', async () => {
    const script = [
      committed(),
      { type: 'wait', ms: 5_000 } as const,
      ...answer({ type: 'finish', reason: 'stop' }).slice(1),
    ];
    await withGateway({ script }, async ({ gateway, controller, clock }) => {
      const { port, token } = gateway;
      const socket = askSlowly(port, token);
      let text = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      await until(() => text.includes('text/event-stream'));
      const closing = gateway.close();
      socket.write(`GET /v1/models HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-api-key: ${token ?? ''}\r\n\r\n`);
      await clock.advance(5_000);
      await until(() => text.includes('gateway_stopping'));
      expect(text).toContain('[DONE]');
      expect(text).toMatch(/HTTP\/1\.1 503 /);
      expect(controller.calls).toHaveLength(1);
      await closing;
    });
  });

  it('ends an answer that takes longer than 10 s with an in-stream error', async () => {
    await withGateway(
      { script: [committed(), ...partEvents({ type: 'text-delta', text: 'x' }), hang] },
      async ({ gateway, post, controller, clock }) => {
        const response = await post(streamed);
        const closing = gateway.close();
        await clock.advance(10_000);
        const text = await response.text();
        expect(text).toContain('"code":"gateway_stopping"');
        expect(text).not.toContain('[DONE]');
        await clock.advance(1_000);
        await closing;
        expect(controller.calls[0]?.signal.aborted).toBe(true);
      },
    );
  });
});

describe('a port in use', () => {
  it('is a fault that names the port, who may hold it and the setting', async () => {
    await withGateway({}, async ({ gateway }) => {
      const clock = virtualClock();
      const second = await startGateway({ controller: fakeController({ clock }), clock, port: gateway.port });
      if (second.ok) throw new Error('two gateways on one port');
      expect(second.error.kind).toBe('port-in-use');
      expect(second.error.message).toContain(`Port ${gateway.port}`);
      expect(second.error.message).toContain('belay.gateway.port');
      expect(second.error.message).toContain('--port');
    });
  });
});

describe('the decision channel', () => {
  it('tells cost and attempts of one call, also of what was accounted after its end', async () => {
    await withGateway({}, async ({ controller, post, get }) => {
      controller.play(function* (call) {
        const ids = { call: call.options.requestId ?? '', task: 't7' };
        const usage = { inputTokens: 1, outputTokens: 1 };
        controller.emit(ids, { type: 'call-started', model: 'm', role: 'chat', policy: 'stream' });
        controller.emit({ ...ids, attempt: '1' }, { type: 'attempt-launched', candidate: 'a', reason: 'first' });
        controller.emit({ ...ids, attempt: '2' }, { type: 'attempt-launched', candidate: 'b', reason: 'hedge' });
        yield committed({ candidate: 'b' });
        yield* partEvents({ type: 'finish', reason: 'stop' });
        controller.emit(
          { ...ids, attempt: '2' },
          {
            type: 'attempt-succeeded',
            candidate: 'b',
            elapsedMs: 9,
            usage,
            costUsd: 0.5,
            billedTokens: 2,
            servedModel: 'm1',
          },
        );
        yield finished({ requestId: ids.call, candidate: 'b', costUsd: 0.5 });
        controller.emit(
          { ...ids, attempt: '1' },
          { type: 'attempt-cancelled', candidate: 'a', elapsedMs: 11, costUsd: 0.25, billedTokens: 5 },
        );
      });
      const response = await post(streamed);
      await response.text();
      const id = response.headers.get('x-belay-request-id') ?? '';
      controller.emit(
        { call: id, attempt: '1' },
        { type: 'attempt-cancelled', candidate: 'a', elapsedMs: 11, costUsd: 0.25, billedTokens: 5 },
      );
      const record: unknown = await (await get(`/belay/decisions/${id}`)).json();
      expect(record).toMatchObject({
        requestId: id,
        status: 'answered',
        model: 'm',
        task: 't7',
        candidate: 'b',
        attempts: 2,
        costUsd: 0.75,
        attemptLog: [
          { attempt: '1', candidate: 'a', reason: 'first', status: 'cancelled', costUsd: 0.25 },
          { attempt: '2', candidate: 'b', reason: 'hedge', status: 'succeeded', costUsd: 0.5 },
        ],
      });
    });
  });

  it('streams events live, after the asked number of past ones, and ends with the gateway', async () => {
    await withGateway({}, async ({ controller, gateway, get, clock }) => {
      const notice = (message: string) => ({ type: 'notice', severity: 'info', message, remedy: '' }) as const;
      controller.emit({}, notice('first'));
      controller.emit({}, notice('second'));
      const response = await get('/belay/decisions?replay=1');
      controller.emit({}, notice('third\n\ndata: forged'));
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      while (!text.includes('third')) text += (await reader.read()).value ?? '';
      const closing = gateway.close();
      for (let read = await reader.read(); !read.done; read = await reader.read()) text += read.value;
      await Promise.all([closing, clock.advance(20_000)]);
      const events = text.split('\n\n').filter((block) => block.startsWith('id: '));
      expect(events.map((block) => block.split('\n')[0])).toEqual(['id: 2', 'id: 3']);
      expect(JSON.parse(events[1]!.split('\ndata: ')[1]!)).toMatchObject({
        seq: 3,
        body: { message: 'third\n\ndata: forged' },
      });
    });
  });

  it('drops a reader that is too far behind', async () => {
    await withGateway({ limits: { feedBacklogBytes: 1_000_000 } }, async ({ controller, gateway }) => {
      const socket = connect(gateway.port, '127.0.0.1', () =>
        socket.write(
          `GET /belay/decisions HTTP/1.1\r\nhost: 127.0.0.1:${gateway.port}\r\nx-api-key: ${gateway.token ?? ''}\r\n\r\n`,
        ),
      );
      socket.on('error', () => undefined);
      socket.pause();
      const atFirst = controller.listenerCount();
      await until(() => controller.listenerCount() === atFirst + 1);
      const message = 'z'.repeat(100_000);
      let sent = 0;
      while (sent < 1_000 && controller.listenerCount() > atFirst) {
        controller.emit({}, { type: 'notice', severity: 'info', message, remedy: '' });
        sent++;
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(sent).toBeGreaterThan(10);
      expect(sent).toBeLessThan(1_000);
      // Cut off, not ended: a proper end would wait in memory for a reader that does not read.
      let text = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      socket.resume();
      await new Promise((resolve) => socket.once('close', resolve));
      expect(text).toContain('zzz');
      expect(text.endsWith('\r\n0\r\n\r\n')).toBe(false);
    });
  });
});

describe('figures and lists', () => {
  it('serves Prometheus text, the models and health', async () => {
    const models = [{ name: 'team/best', contextWindowTokens: 32_000, candidates: 2 }];
    await withGateway(
      { fake: { models }, script: answer({ type: 'finish', reason: 'stop' }) },
      async ({ client, controller, get, gateway, post }) => {
        controller.emit({ call: 'c' }, { type: 'call-started', model: 'm', role: 'chat', policy: 'stream' });
        await post(hello);
        const metrics = await (await get('/metrics')).text();
        expect(metrics).toContain('# TYPE belay_calls_total counter\nbelay_calls_total 1\n');
        expect(metrics).toContain('belay_gateway_requests_total{status="200"} 1\n');
        const listed: string[] = [];
        for await (const model of client.models.list()) listed.push(model.id);
        expect(listed).toEqual(['team/best']);
        expect(await client.models.retrieve('team/best')).toMatchObject({ id: 'team/best', context_window: 32_000 });
        const health = await fetch(`${gateway.url}/healthz`);
        expect(await health.json()).toEqual({ status: 'ok' });
        expect((await fetch(gateway.url, { method: 'HEAD' })).status).toBe(200);
      },
    );
  });

  it('answers an unknown path with 404 and another method with 405, in JSON', async () => {
    await withGateway({}, async ({ get }) => {
      const missing = await get('/v1/nothing');
      expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'application/json']);
      expect(await missing.json()).toMatchObject({ error: { code: 'path_not_found' } });
      const wrong = await get('/v1/chat/completions');
      expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
    });
  });
});
