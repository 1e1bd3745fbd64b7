import type { createTestApp } from './test-app.ts'

const PAID = { 'payment-signature': 'x' }
export const JSON_TYPE = { 'content-type': 'application/json' }

/** A client of an application behind the open gate, whose answers are all JSON. */
export function createOpenClient(app: ReturnType<typeof createTestApp>) {
  async function ask(path: string, init: RequestInit = {}) {
    const response = await app.request(path, init)
    const text = await response.text()
    const body = text === '' ? null : JSON.parse(text)
    return { status: response.status, headers: response.headers, text, body }
  }
  return {
    ask,
    /** The same with what the open gate takes for a payment. */
    pay: (path: string, init: RequestInit = {}) =>
      ask(path, { ...init, headers: { ...PAID, ...init.headers } }),
  }
}

/** A POST of JSON, or of the very text. */
export function post(value: unknown): RequestInit {
  const body = typeof value === 'string' ? value : JSON.stringify(value)
  return { method: 'POST', body, headers: JSON_TYPE }
}
