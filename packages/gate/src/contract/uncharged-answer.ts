import type { Reply } from '@tollbook/http/reply/reply'

/** Thrown by a run whose answer is sent as it is and not charged: it has another status than 200 to 299. */
export class UnchargedAnswer extends Error {
  override readonly name = 'UnchargedAnswer'
  readonly reply: Reply

  constructor(reply: Reply) {
    super(`the handler answered ${reply.status}`)
    this.reply = reply
  }
}
