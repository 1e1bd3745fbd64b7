import type { OfferedPayment } from '@tollbook/gate/payment'

/** Whether it has ended, so long ago, by the clock of this machine. */
export function isOver({ validBefore }: OfferedPayment, seconds = 0): boolean {
  return validBefore + seconds <= Date.now() / 1000
}

/** Whether the seller will not answer to this payment: the next request then pays anew. */
export function isRefused(response: Response, hasEnded: boolean): boolean {
  const { status, headers } = response
  if (headers.has('retry-after') || (status !== 402 && isPage(response))) return false
  return hasEnded ? status >= 400 && status < 500 : [402, 403, 409, 410].includes(status)
}

/** Firewalls and sign-in pages between here and the seller answer in HTML. */
export function isPage({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/html') ?? false
}
