import type { Reply } from '@tollbook/http/reply/reply'

/** A reply with a JSON body. */
export function jsonReply(body: unknown, status = 200): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
  }
}
