// Redundant execution on the metrics page of a gateway over real sockets.
import { describe, expect, it } from 'vitest';
import { withGateway, type GatewayUnderTest } from '../support/gatewayHarness.ts';

const page = async ({ get }: GatewayUnderTest): Promise<string> => await (await get('/metrics')).text();

describe('the metrics of redundant execution', () => {
  it('have HELP and TYPE under the printed names before anything has happened, and no share', async () => {
    await withGateway({}, async (test) => {
      const text = await page(test);
      expect(text).toMatch(/# HELP agent_redundancy_ratio .+\n# TYPE agent_redundancy_ratio gauge\n# HELP/);
      expect(text).toContain('# TYPE agent_replica_delay_diff histogram\n');
      expect(text).toContain('agent_replica_delay_diff_bucket{bound="measured",le="+Inf"} 0\n');
      for (const line of text.trimEnd().split('\n')) expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{.*\})? \S+)$/);
    });
  });

  it('follow the calls that the gateway sees', async () => {
    await withGateway({}, async (test) => {
      const { controller, clock } = test;
      const ended = { costUsd: 0.25, billedTokens: 5 };
      const begin = (call: string): void =>
        controller.emit({ call }, { type: 'call-started', model: 'm', role: 'chat', policy: 'stream' });
      const launch = (call: string, attempt: string, candidate: string): void =>
        controller.emit({ call, attempt }, { type: 'attempt-launched', candidate, reason: 'first' });
      const succeed = (call: string, attempt: string, candidate: string, elapsedMs: number): void =>
        controller.emit(
          { call, attempt },
          { type: 'attempt-succeeded', candidate, elapsedMs, usage: null, servedModel: null, ...ended },
        );
      const finish = (call: string, candidate: string): void =>
        controller.emit(
          { call },
          {
            type: 'call-finished',
            outcome: 'answered',
            candidate,
            rung: 'L0',
            attempts: 1,
            costUsd: 0,
            elapsedMs: 0,
          },
        );
      begin('one');
      launch('one', 'one-1', 'a');
      succeed('one', 'one-1', 'a', 900);
      finish('one', 'a');
      begin('two');
      launch('two', 'two-1', 'a');
      await clock.advance(4000);
      launch('two', 'two-2', 'b');
      await clock.advance(700);
      succeed('two', 'two-2', 'b', 700);
      finish('two', 'b');
      // The loser is booked after the call.
      expect(await page(test)).not.toContain('agent_redundancy_ratio 0.5\n');
      controller.emit(
        { call: 'two', attempt: 'two-1' },
        { type: 'attempt-cancelled', candidate: 'a', elapsedMs: 4700, ...ended },
      );
      controller.emit(
        { call: 'two' },
        {
          type: 'replicas-compared',
          groups: [['a'], ['b']],
          disagreement: 1,
          outcome: 'review',
          chosen: null,
          reason: 'r',
        },
      );
      const text = await page(test);
      expect(text).toContain('agent_redundancy_ratio 0.5\n');
      expect(text).toContain('agent_replica_delay_diff_bucket{bound="at-least",le="2.5"} 0\n');
      expect(text).toContain('agent_replica_delay_diff_bucket{bound="at-least",le="5"} 1\n');
      expect(text).toContain('agent_replica_delay_diff_sum{bound="at-least"} 4\n');
      expect(text).toContain('agent_replica_delay_diff_count{bound="at-least"} 1\n');
      expect(text).toContain('agent_replica_duration_bucket{outcome="succeeded",le="1"} 1\n');
      expect(text).toContain('agent_replica_disagreement 1\n');
      // Two executions where one would have done.
      expect(text).toContain('agent_redundancy_resource_saving -1\n');
      expect(text).toContain('agent_redundancy_copies_usd 0.25\n');
    });
  });
});
