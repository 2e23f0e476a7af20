// A provider's passing failures in words and codes (T1): crashes of a worker, bad gateways, "try again". These are the most
// permissive rows of all, so they are the last to be asked and never count against a final status.
import type { Rule } from '../rule.ts';
import { anyOf, listOf } from '../wordLists.ts';

const READS = ['model_read'] as const;

export const transientRules: readonly Rule[] = [
  {
    id: 'transient.starting',
    class: 'T1',
    secondary: 'T4',
    confidence: 0.85,
    hints: ['loading', 'starting', 'warming', 'not ready', 'initializing'],
    pattern: anyOf(
      /(?:loading|starting|warming up|initializing)(?: the)? (?:model|server|engine)/,
      /model (?:is |was )?(?:currently |still )?(?:loading|starting|warming|not ready|initializing)/,
      /server is (?:starting|not ready|loading)/,
    ),
    operations: READS,
  },
  {
    id: 'transient.crashed',
    class: 'T1',
    secondary: 'T4',
    confidence: 0.85,
    hints: ['runner', 'crash', 'process', 'worker', 'engine'],
    pattern: anyOf(
      /(?:runner|worker|engine|process|model)[^\n]{0,40}?(?:has )?(?:unexpectedly )?(?:stopped|terminated|crashed|died|exited|been killed)/,
      /enginedeaderror/,
    ),
    operations: READS,
  },
  {
    id: 'transient.code',
    class: 'T1',
    tier: 'generic',
    confidence: 0.8,
    tokens: listOf(`server_error, internal_error, internal_server_error, internalservererror, internalerror, internal,
      api_error, apierror, internalserverexception, internalserviceerror, internalfailure,
      modelstreamerrorexception, modelerrorexception, model_error, upstream_error, provider_error, bad_gateway,
      badgateway, badgatewayerror, aborted, unknown_error, server_exception, processing_error,
      vector_store_timeout, engine_error, conflicterror, stream_error, stream_read_error`),
    operations: READS,
  },
  {
    id: 'transient.unavailable-code',
    class: 'T1',
    secondary: 'T4',
    tier: 'generic',
    confidence: 0.8,
    tokens: listOf(`unavailable, unavailable_error, service_unavailable, serviceunavailable, serviceunavailableerror,
      serviceunavailableexception, provider_unavailable, service_unavailable_error, temporarily_unavailable,
      no_available_providers, upstream_unavailable`),
    operations: READS,
  },
  {
    id: 'transient.deadline-code',
    class: 'T3',
    secondary: 'T1',
    confidence: 0.85,
    tokens: listOf(`deadline_exceeded, deadlineexceeded, modeltimeoutexception, gateway_timeout, gatewaytimeout,
      upstream_timeout`),
    exceptStatuses: [504],
    operations: ['model_read', 'tool_read'],
  },
  {
    id: 'transient.told',
    class: 'T1',
    tier: 'generic',
    confidence: 0.7,
    hints: listOf(`server, gateway, unavailable, internal, unexpected, temporar, upstream, provider, cannot connect,
      unable to connect, went wrong, try again`),
    pattern: anyOf(
      /(?:internal|origin|upstream|remote)[ _]?(?:server|service)?[ _]?error|bad gateway|gateway time-?out/,
      /(?:service|server|model|provider|temporarily|currently) (?:is )?(?:temporarily |currently )?(?:unavailable|down)/,
      /web server is down|(?:unexpected|unknown|internal|temporary|transient) (?:error|failure|condition)/,
      /server (?:had an )?error|server-side issue|upstream connect error|provider returned error/,
      /(?:cannot|unable to|could not|failed to) connect|something went wrong/,
      /(?:unable|failed) to process your request|invalid response (?:from|body)/,
    ),
    exceptFacts: ['says-nothing'],
    operations: READS,
  },
];
