import type { ProblemCode } from './problem.ts'

/**
 * What each code means and what to do: paragraphs of plain text, code in backticks. docs/problems.md has the same text
 * (test/docs.test.ts).
 */
export const PROBLEM_GUIDE: Readonly<Record<ProblemCode, readonly string[]>> = {
  invalid_request: [
    'An argument is missing, malformed or out of range, or the body cannot be read.',
    '`issues` lists each parameter and its valid values. Until 2.0 the same list is also called `faults`, its name in version 1.0.',
  ],
  unknown_parameter: ['The endpoint does not have this parameter.', 'The error suggests the closest one.'],
  payment_malformed: [
    'The payment header is not base64-encoded JSON, or there are payments of two protocols.',
    'Let a client build it from the 402 of an unpaid call.',
  ],
  api_key_required: [
    'This facilitator serves only callers with a key of `TOLLBOOK_FACILITATOR_API_KEYS`, and the request has none, or a wrong one.',
    'Send it as `Authorization: Bearer`; after ten wrong keys a minute from one address, any key gets 429.',
  ],
  operator_key_required: [
    'A page of the operator was requested without `TOLLBOOK_OPERATOR_KEY`, or with a wrong key.',
    'Send it as `Authorization: Bearer`; after ten wrong keys a minute from one address, any key gets 429.',
  ],
  payment_required: [
    'The call is not paid.',
    'Sign the terms of one protocol (x402 or MPP) and repeat the call. `issues` lists arguments that could not be served even with a payment.',
  ],
  payment_invalid: [
    'The payment does not match the requirements, or its signature is not valid.',
    'Compare amount, asset, payTo and network with the current terms. `reason` is the error code of the x402 specification.',
  ],
  payment_expired: [
    'The authorization is not yet valid, has expired, or is valid for too long.',
    'Sign a new one with a lifetime of `maxTimeoutSeconds`, and check your clock.',
  ],
  payment_insufficient: [
    "The payer's USDC balance is less than its open payments together.",
    'Add USDC, or wait until open calls have finished.',
  ],
  payment_settlement_failed: [
    'The payment did not settle, so the answer is withheld.',
    'Sign a new payment and call again. `reason` is the cause.',
  ],
  contract_wallet_refused: [
    "The payer's wallet has code, and its settlement may cost too much gas.",
    'Pay from a wallet without code, or retry after `Retry-After` if it is present.',
  ],
  wallet_barred: [
    "A settlement of this wallet reverted, and its paid calls do not cover the seller's gas. `until` says when it is served again.",
    'Pay from another wallet. Or submit the signed `exact` transfer to the chain yourself and repeat the request with it; two such calls lift the bar.',
  ],
  allowance_required: [
    'A metered payment requires a Permit2 allowance for USDC.',
    'Approve Permit2 once, or use a client that sends an EIP-2612 permit (`UptoEvmScheme` with `rpcUrl`). While many permits of new wallets revert, they have to approve.',
  ],
  credential_refused: ['A credential in the arguments, such as a session token, was rejected.', 'Renew it.'],
  payer_proof_required: [
    'This payment has settled, so its signature is public, and its answer is only for the payer.',
    'Repeat the call with its payment-identifier, or prove control of the wallet with `SIGN-IN-WITH-X`.',
  ],
  signature_invalid: [
    'The claiming wallet did not sign this text. The challenge stays open for a few more attempts.',
    'Sign exactly the `message`, without a trailing line break, with the wallet named in it (EIP-191, ERC-1271 or ERC-6492).',
  ],
  origin_refused: [
    'A page of another site called `/mcp`.',
    "Use a page of the service's own origin or of the caller's machine; programs send no `Origin`.",
  ],
  not_found: ['The path or the requested item does not exist.', 'The page at `/` lists all paths.'],
  method_not_allowed: [
    'The path does not support this method.',
    'The header `Allow` lists the supported ones.',
  ],
  request_timeout: ['The headers or the body took too long to arrive.', 'Call again on a new connection.'],
  payment_in_flight: [
    'A call with the same payment is in progress.',
    'Repeat the call unchanged after `Retry-After` seconds.',
  ],
  payment_reused: [
    'This payment was used for other arguments or another endpoint.',
    'Sign a new payment for this call.',
  ],
  payment_spent: [
    'This payment is used up: its answer is no longer available, or its handler ran too often.',
    'Sign a new payment.',
  ],
  challenge_not_open: [
    'The message was changed, used, has expired, or was closed by a newer claim of the wallet.',
    'Request a new challenge and send its `message` back unchanged.',
  ],
  version_conflict: [
    'The item has changed since it was read.',
    'Read it again and repeat the change with its current version.',
  ],
  write_pending: [
    'Another call changes the same data, and its payment is still open after five seconds.',
    'Send the same payment again after `Retry-After`.',
  ],
  no_longer_kept: [
    'The payments behind this report are older than the operator retains.',
    'The report stays available; its payments can be read from the chain.',
  ],
  too_large: ['The body is larger than the endpoint accepts.', '`limit_bytes` is the limit.'],
  unsupported_media_type: [
    "The endpoint does not accept the body's content type or content encoding.",
    'Send `application/json`, or `multipart/form-data` for files, uncompressed.',
  ],
  cannot_be_served: [
    'The arguments are well-formed, but have no result, as a text too long for a QR code, or nothing was found.',
    '`issues` or `detail` explain what to change.',
  ],
  rate_limited: [
    'Too many unpaid calls came from this address or this payer; large bodies and long runs count for several.',
    'Wait for `Retry-After` seconds.',
  ],
  header_too_large: [
    'The headers of the request are larger than 16 kB, or more than 200.',
    'Remove what the call does not need, such as extensions echoed in a payment.',
  ],
  internal: ['An unexpected error.', 'Report the request id to the operator.'],
  not_offered: [
    'The configured provider does not support this operation.',
    'Choose another option or endpoint.',
  ],
  upstream_failed: ['An upstream failed or returned an invalid response.', 'Try again later.'],
  not_configured: ['The operator has not configured what this endpoint needs.', 'Ask the operator.'],
  unavailable: [
    'The endpoint is unhealthy, busy, or cannot settle payments right now.',
    'Repeat the request with the same payment, after `Retry-After` if it is present: it is charged at most once.',
  ],
  gas_too_expensive: [
    'Gas costs too much at the moment for this price.',
    'Repeat the call after `Retry-After` seconds.',
  ],
  settlement_unknown: [
    'The payment was sent to the chain, and its outcome is not known yet.',
    'Repeat the call with the same payment after `Retry-After` seconds; do not sign a new one.',
  ],
  upstream_timeout: [
    'The call or one of its upstreams timed out.',
    'Try again, with a smaller request if possible.',
  ],
  quota_exceeded: ["The wallet's storage is full.", 'Delete rows or collections.'],
}
