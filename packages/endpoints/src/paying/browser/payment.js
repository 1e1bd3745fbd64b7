import { Refusal } from './request.js'
import { connect, requestFrom } from './wallets.js'

/**
 * @typedef {import('./request.js').FormRequest} FormRequest
 * @typedef {import('./wallets.js').Wallet} Wallet
 * @typedef {import('./wallets.js').Terms} Terms
 * A signed payment for one call, stored before it is sent.
 * @typedef {{ header: string, identifier: string, page: string,
 *   values: Record<string, string>, isComplete: boolean }} Payment
 */

/** How often a connection may fail, and how often the service may ask to wait. */
const MAX_FAILURES = 6
const MAX_WAITS = 60
const MAX_WAIT_SECONDS = 20
const STORED = 'tollbook-payment '

/**
 * The payment of this call that was stored and is not answered yet: sent again, it is charged at most once.
 * @param {string} endpoint
 * @param {Record<string, string>} values
 */
export function findPayment(endpoint, values) {
  return readStored(keyOf(endpoint, values))
}

/** A payment of this page without an answer: the page was reloaded in the middle. */
export function findOpenPayment() {
  const keys = Object.keys(sessionStorage).filter((key) => key.startsWith(STORED))
  return keys.map(readStored).find((payment) => payment?.page === location.href) ?? null
}

/**
 * @param {string} endpoint
 * @param {Record<string, string>} values
 */
export function forgetPayment(endpoint, values) {
  sessionStorage.removeItem(keyOf(endpoint, values))
}

/**
 * Signs the terms of a 402 with a wallet and stores the payment.
 * @param {{ response: Response, wallet: Wallet, request: FormRequest, endpoint: string, isDemo: boolean }} call
 * @returns {Promise<Payment>}
 */
export async function signPayment({ response, wallet, request, endpoint, isDemo }) {
  const { resource, accepts } = JSON.parse(fromBase64(response.headers.get('payment-required') ?? ''))
  const terms = /** @type {Terms[]} */ (accepts).find(({ scheme }) => scheme === 'exact')
  if (!terms) throw new Refusal('This call cannot be paid on this page; pay it from a program.')
  const now =
    Math.floor(Date.parse(response.headers.get('date') ?? '') / 1000) || Math.floor(Date.now() / 1000)
  const from = await connect(wallet, terms, isDemo)
  const authorization = {
    from,
    to: terms.payTo,
    value: terms.amount,
    validAfter: '0',
    validBefore: `${now + terms.maxTimeoutSeconds}`,
    nonce: `0x${randomHex(32)}`,
  }
  const data = toTypedData(terms, authorization)
  const signature = await requestFrom(wallet, 'eth_signTypedData_v4', [from, JSON.stringify(data)])
  // A payment that was stored meanwhile may be charged already; this one is then never sent.
  const stored = findPayment(endpoint, request.values)
  if (stored) return stored
  const envelope = { x402Version: 2, resource, accepted: terms, payload: { signature, authorization } }
  const payment = {
    header: toBase64(JSON.stringify(envelope)),
    // With it, the answer can be fetched again for a day; the chain does not show it.
    identifier: randomHex(16),
    page: location.href,
    values: request.values,
    isComplete: request.isComplete,
  }
  try {
    sessionStorage.setItem(keyOf(endpoint, request.values), JSON.stringify(payment))
  } catch {
    // A payment that is not stored is not sent: a reload would pay again.
    throw new Refusal(
      'This tab cannot store the payment, so it was not sent. Pay from a program. Nothing was paid.',
    )
  }
  return payment
}

/**
 * Sends the request with its payment until it is answered.
 * @param {FormRequest} request
 * @param {Payment} payment
 * @param {(text: string) => void} announce
 * @returns {Promise<Response>}
 */
export async function sendPaid({ url, init }, { header, identifier }, announce) {
  const headers = new Headers(init.headers)
  headers.set('payment-signature', header)
  headers.set('idempotency-key', identifier)
  let failures = 0
  for (let waits = 0; ; waits++) {
    const response = await fetch(url, { ...init, headers }).catch(() => null)
    failures = response ? 0 : failures + 1
    if (failures >= MAX_FAILURES) throw new Error('the service cannot be reached')
    const seconds = response ? Number(response.headers.get('retry-after') ?? Number.NaN) : failures
    const isPending = !response || ((response.status === 409 || response.status === 503) && seconds >= 0)
    if (response && (!isPending || waits >= MAX_WAITS)) return response
    announce(
      response
        ? 'The call is still running; waiting for its answer.'
        : 'Connection lost; sending the same payment again.',
    )
    await new Promise((resolve) => setTimeout(resolve, Math.min(seconds, MAX_WAIT_SECONDS) * 1000))
  }
}

/** Errors of the service that leave open if an earlier request with the payment was charged. */
const UNDECIDED = new Set(['payment_in_flight', 'payer_proof_required', 'request_timeout', 'rate_limited'])

/**
 * Whether an answer leaves open if the payment was charged, as all of a proxy in front of the service.
 * @param {Response} response
 * @param {string} code of its problem
 */
export function isUndecided({ status }, code) {
  return status >= 500 || code === '' || UNDECIDED.has(code)
}

/**
 * EIP-712 data of an EIP-3009 transfer.
 * @param {Terms} terms
 * @param {Record<string, string>} message
 */
function toTypedData({ network, asset, extra }, message) {
  /** @param {[string, string][]} fields */
  const typed = (fields) => fields.map(([name, type]) => ({ name, type }))
  const types = {
    EIP712Domain: typed([
      ['name', 'string'],
      ['version', 'string'],
      ['chainId', 'uint256'],
      ['verifyingContract', 'address'],
    ]),
    TransferWithAuthorization: typed([
      ['from', 'address'],
      ['to', 'address'],
      ['value', 'uint256'],
      ['validAfter', 'uint256'],
      ['validBefore', 'uint256'],
      ['nonce', 'bytes32'],
    ]),
  }
  const domain = {
    name: extra.name,
    version: extra.version,
    chainId: Number(network.split(':')[1]),
    verifyingContract: asset,
  }
  return { domain, types, primaryType: 'TransferWithAuthorization', message }
}

/**
 * @param {string} endpoint
 * @param {Record<string, string>} values
 */
function keyOf(endpoint, values) {
  return `${STORED}${endpoint} ${JSON.stringify(values)}`
}

/**
 * @param {string} key
 * @returns {Payment | null}
 */
function readStored(key) {
  return JSON.parse(sessionStorage.getItem(key) ?? 'null')
}

/** @param {number} bytes */
function randomHex(bytes) {
  return [...crypto.getRandomValues(new Uint8Array(bytes))]
    .map((each) => each.toString(16).padStart(2, '0'))
    .join('')
}

/** @param {string} text */
function toBase64(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

/** @param {string} text */
export function fromBase64(text) {
  return new TextDecoder().decode(Uint8Array.from(atob(text), (each) => each.charCodeAt(0)))
}
