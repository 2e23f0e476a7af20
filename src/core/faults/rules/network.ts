// Errors of the connection: Node, undici, axios, aiohttp, requests, HTTP/2 and TLS, by code, by name and by wording.
// Timeouts are T3 (the result is unknown), a broken connection is T1 for a read. For a write everything that happens
// after the connection was made is T3; only a connection that never came to be is T1.
import type { Rule } from '../rule.ts';
import { anyOf, listOf } from '../wordLists.ts';

const READS = ['model_read', 'tool_read'] as const;
const WRITES = ['tool_write'] as const;

const BROKEN = listOf(`econnreset, epipe, econnaborted, und_err_socket, und_err_closed, und_err_destroyed,
      und_err_res_content_length_mismatch, err_stream_premature_close, err_http2_stream_error,
      err_http2_session_error, err_http2_goaway_session, err_http2_stream_cancel, err_http2_invalid_session,
      err_bad_response, err_network, remoteprotocolerror, chunkedencodingerror, incompleteread, readerror,
      writeerror, serverdisconnectederror, clientpayloaderror, remotedisconnected, protocolerror,
      hpe_invalid_constant, hpe_invalid_chunk_size, hpe_invalid_eof_state, err_connection_closed, err_connection_reset, err_connection_aborted, err_http2_protocol_error, err_http2_ping_failed, err_quic_protocol_error, err_empty_response, err_incomplete_chunked_encoding, err_content_length_mismatch, err_tunnel_connection_failed`);
const UNREACHABLE =
  listOf(`econnrefused, ehostunreach, enetunreach, ehostdown, enetdown, eaddrnotavail, eai_again, eai_fail,
      connecterror, clientconnectorerror, newconnectionerror, err_internet_disconnected, err_network_changed,
      err_connection_refused, err_name_not_resolved, err_address_unreachable, err_proxy_connection_failed`);
const CONNECT_TIMEOUT = ['und_err_connect_timeout', 'connecttimeouterror', 'connecttimeout'];
const TIMEOUT = listOf(`etimedout, esockettimedout, und_err_headers_timeout, und_err_body_timeout, headerstimeouterror,
      bodytimeouterror, timeouterror, apiconnectiontimeouterror, apitimeouterror, readtimeout,
      readtimeouterror, writetimeout, pooltimeout, err_timeout, err_socket_connection_timeout, requesttimeout,
      request_timeout, timeout_error, timeout, sockettimeout, abort_timeout, err_timed_out, err_connection_timed_out`);
const ABORTED = listOf(
  `aborterror, abort_err, und_err_aborted, apiuseraborterror, err_canceled, cancelederror, ecanceled`,
);
const CERTIFICATE = listOf(`cert_has_expired, cert_not_yet_valid, cert_revoked, cert_untrusted, cert_signature_failure,
      depth_zero_self_signed_cert, self_signed_cert_in_chain, unable_to_verify_leaf_signature,
      unable_to_get_issuer_cert, unable_to_get_issuer_cert_locally, err_tls_cert_altname_invalid,
      hostname_mismatch, sslcertverificationerror, err_cert_authority_invalid, err_cert_date_invalid,
      err_cert_common_name_invalid`);
const WRONG_ADDRESS =
  listOf(`err_invalid_url, err_invalid_protocol, err_unescaped_characters, err_ssl_wrong_version_number, eproto,
      und_err_invalid_arg, und_err_not_supported, und_err_req_content_length_mismatch, hpe_header_overflow,
      und_err_headers_overflow, err_invalid_char, err_http_invalid_header_value, unsupportedprotocol,
      invalidurl`);

export const networkRules: readonly Rule[] = [
  {
    id: 'network.write-maybe-sent',
    class: 'T3',
    secondary: 'T1',
    tier: 'decisive',
    confidence: 0.9,
    facts: ['maybe-sent'],
    tokens: [...BROKEN, ...ABORTED],
    operations: WRITES,
  },
  { id: 'network.write-timeout', class: 'T3', tier: 'decisive', confidence: 0.95, tokens: TIMEOUT, operations: WRITES },
  {
    id: 'network.write-timeout-told',
    class: 'T3',
    tier: 'decisive',
    confidence: 0.85,
    hints: ['time', 'deadline'],
    pattern: /timed[ -]?out|time[- ]?out|deadline[ _]exceeded/,
    operations: WRITES,
  },
  {
    id: 'network.write-broken',
    class: 'T3',
    tier: 'decisive',
    confidence: 0.85,
    hints:
      listOf(`connection, socket, terminated, premature, aborted, network, fetch failed, disconnect, epipe, econnreset,
      stream`),
    pattern: anyOf(
      /connection (?:was )?(?:reset|closed|lost|aborted|error|terminated|dropped|interrupted)|socket hang ?up/,
      /\bterminated\b|premature close|aborted|network error|fetch failed|disconnected|epipe|econnreset/,
      /stream (?:closed|ended)/,
    ),
    operations: WRITES,
    facts: ['maybe-sent'],
  },
  // A gateway that says how the connection behind it ended.
  {
    id: 'network.write-lost-behind',
    class: 'T3',
    secondary: 'T1',
    tier: 'decisive',
    confidence: 0.85,
    statuses: [500, 502, 503],
    hints: ['reset reason', 'before headers', 'prematurely closed', 'connection termination', 'closed before'],
    pattern: /reset reason: (?!overflow)|before headers|prematurely closed|connection termination|closed before/,
    operations: WRITES,
  },
  {
    id: 'network.write-in-flight',
    class: 'T3',
    tier: 'decisive',
    confidence: 0.8,
    facts: ['maybe-sent', 'stream-broke'],
    operations: WRITES,
  },
  {
    id: 'network.never-sent',
    class: 'T1',
    secondary: 'T5',
    confidence: 0.9,
    facts: ['never-sent'],
    operations: ['tool_read', 'tool_write'],
  },
  // A client error of no known kind, after which the write may have happened.
  {
    id: 'network.write-unknown',
    class: 'T3',
    tier: 'generic',
    confidence: 0.6,
    facts: ['maybe-sent'],
    operations: WRITES,
  },

  // A host that nobody filled in will never resolve.
  {
    id: 'network.host-not-configured',
    class: 'T7',
    detail: 'fixable',
    secondary: 'T1',
    confidence: 0.9,
    hints: ['enotfound', 'eai_again', 'getaddrinfo', 'econnrefused', 'resolve'],
    pattern:
      /(?:enotfound|eai_again|getaddrinfo|could not resolve|econnrefused)[^\n]{0,80}?(?:[\s./-](?:undefined|null|nan|none)[\s./:-]|your[-_]|<|\$\{|%7b|\{\{|example-resource)/,
  },
  { id: 'network.certificate', class: 'T7', detail: 'permission', confidence: 0.9, tokens: CERTIFICATE },
  {
    id: 'network.certificate-told',
    class: 'T7',
    detail: 'permission',
    confidence: 0.85,
    hints: ['certificat', 'altname', 'x509', 'pkix', 'untrustedroot'],
    pattern: anyOf(
      /self[- ]signed certificate|certificate (?:has expired|is not yet valid|verify failed|is not trusted)/,
      /unable to (?:verify the first|get local issuer) certificate|does not match certificate's altnames/,
      /certificate (?:signed by unknown authority|chain[^\n]{0,30}?(?:invalid|untrusted|self)|has been revoked|problem)|failed to verify certificate|remote certificate (?:is|was) (?:invalid|rejected)/,
      /x509: |pkix path|valid certification path|untrustedroot|certificate_verify_failed/,
    ),
  },
  { id: 'network.wrong-address', class: 'T7', detail: 'fixable', confidence: 0.85, tokens: WRONG_ADDRESS },
  {
    id: 'network.wrong-address-told',
    class: 'T7',
    detail: 'fixable',
    confidence: 0.85,
    hints: listOf(`invalid url, failed to parse url, wrong version number, unsupported protocol, only absolute urls,
      packet length too long`),
    pattern: anyOf(
      /invalid url|failed to parse url|wrong version number|unsupported protocol|only absolute urls/,
      /packet length too long/,
    ),
  },
  {
    id: 'network.proxy-auth',
    class: 'T7',
    detail: 'permission',
    confidence: 0.9,
    hints: ['proxy auth'],
    pattern: /proxy authentication (?:is )?required/,
  },
  // The name does not exist: mostly no network at the moment, sometimes a wrong address.
  {
    id: 'network.name-unknown',
    class: 'T1',
    secondary: 'T7',
    confidence: 0.7,
    tokens: ['enotfound', 'eai_nodata', 'eai_noname'],
    operations: READS,
  },

  {
    id: 'network.timeout',
    class: 'T3',
    secondary: 'T1',
    confidence: 0.95,
    tokens: TIMEOUT,
    operations: READS,
    exceptStatuses: [504, 522, 429, 529],
  },
  // Anthropic's own word under a status that by itself is only a gateway's.
  {
    id: 'network.timeout-at-gateway',
    class: 'T3',
    secondary: 'T1',
    confidence: 0.85,
    tokens: ['timeout_error'],
    statuses: [504],
    operations: READS,
  },
  {
    id: 'network.timeout-told',
    class: 'T3',
    confidence: 0.85,
    hints: ['time', 'deadline'],
    pattern: anyOf(
      /(?:request|headers|body|read|response|operation|socket|stream|inactivity|idle|generation|call|tool|inference|server) ?time[- ]?(?:d[- ]?)?out/,
      /timed[- ]out|timeout (?:of|after|exceeded|error|while|waiting|reached|expired|awaiting)/,
      /i\/o timeout|handshake timeout|timeout of \d+ seconds elapsing/,
      /deadline[ _]exceeded|exceeded (?:the |its )?(?:deadline|time limit|timeout)|\btimeout:|: timeout$/,
    ),
    operations: READS,
    exceptStatuses: [504, 522, 429, 529],
  },
  {
    id: 'network.no-response',
    class: 'T3',
    secondary: 'T1',
    confidence: 0.8,
    hints: ['response'],
    pattern: anyOf(
      /did(?: not|n't) (?:get|receive) (?:a |any )?response|no response (?:was )?(?:received|from)/,
      /without (?:any )?response (?:within|after|for)|(?:server|model) did not respond/,
    ),
    operations: READS,
    exceptStatuses: [504, 522],
  },
  {
    id: 'network.silent-stream',
    class: 'T3',
    secondary: 'T1',
    confidence: 0.85,
    hints: ['stream', 'chunk', 'data', 'token'],
    pattern: anyOf(
      /\bstream (?:stalled|idle|went silent|inactiv)/,
      /no (?:data|chunks?|tokens?|events?) (?:was |were )?(?:received|arrived|for|within)/,
    ),
    operations: READS,
  },
  {
    id: 'network.aborted',
    class: 'T3',
    secondary: 'T1',
    tier: 'generic',
    confidence: 0.6,
    tokens: ABORTED,
    operations: READS,
  },
  {
    id: 'network.connect-timeout',
    class: 'T1',
    secondary: 'T3',
    confidence: 0.85,
    tokens: CONNECT_TIMEOUT,
    operations: READS,
  },

  { id: 'network.broken', class: 'T1', secondary: 'T3', confidence: 0.95, tokens: BROKEN, operations: READS },
  { id: 'network.unreachable', class: 'T1', confidence: 0.9, tokens: UNREACHABLE, operations: READS },
  {
    id: 'network.broken-told',
    class: 'T1',
    secondary: 'T3',
    confidence: 0.85,
    hints:
      listOf(`connection, socket, terminated, premature, network, fetch failed, disconnect, other side closed, goaway,
      peer, eof, broken pipe, actively refused, empty reply, couldn't connect`),
    pattern: anyOf(
      /connection (?:was |has been )?(?:reset|closed|lost|aborted|error|terminated|dropped|interrupted|refused|termination)/,
      /remote end closed|socket (?:hang ?up|closed|connection)|\bterminated\b|premature close/,
      /network (?:error|connection|socket disconnected|request failed|changed|is unreachable)|fetch failed/,
      /failed to fetch|disconnected|other side closed|goaway|peer closed|unexpected eof|broken pipe/,
      /disconnect\/reset|actively refused|connection (?:was )?forcibly closed|empty reply from server|couldn't connect to server/,
    ),
    operations: READS,
  },
  {
    id: 'network.dns-told',
    class: 'T1',
    confidence: 0.8,
    hints: [
      'name resolution',
      'resolve host',
      'dns',
      'no such host',
      'name or service not known',
      'nodename nor servname',
    ],
    pattern:
      /(?:no such host|name or service not known|nodename nor servname|temporary failure in name resolution|could not resolve host|dns (?:lookup|resolution) (?:failed|error|timed out))/,
    operations: READS,
  },
  {
    id: 'network.client-error',
    class: 'T1',
    tier: 'generic',
    confidence: 0.7,
    tokens: listOf(`apiconnectionerror, fetcherror, connectionerror, networkerror, err_http2_error, emfile, enfile,
      requesterror, transporterror`),
    operations: READS,
  },
];
