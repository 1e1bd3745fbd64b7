import { ModelFailed } from '../failure.ts'
import type { MessageEvent } from './answer.ts'

/** Validates the order of events in one stream, so that a faulty upstream cannot confuse clients. */
export type EventOrder = {
  /** @throws ModelFailed if an event is out of order */
  readonly take: (event: MessageEvent) => void
  /** Whether the stop reason has arrived, so that only `message_stop` may follow. */
  readonly isEnded: () => boolean
}

/** Enforces the order of https://platform.claude.com/docs/en/build-with-claude/streaming#event-types. */
export function createEventOrder(): EventOrder {
  let isStarted = false
  let isEnded = false
  let blocks = 0
  let open: number | null = null

  function isInOrder(event: MessageEvent): boolean {
    switch (event.type) {
      case 'ping':
        return true
      case 'message_start':
        return !isStarted
      case 'content_block_start':
        return isStarted && !isEnded && open === null && event.index === blocks
      case 'content_block_delta':
      case 'content_block_stop':
        return event.index === open
      case 'message_delta':
        return isStarted && open === null
      case 'message_stop':
        return isEnded
    }
  }

  return {
    isEnded: () => isEnded,
    take(event) {
      if (!isInOrder(event)) throw new ModelFailed(`the stream contains a ${event.type} out of order`)
      if (event.type === 'message_start') isStarted = true
      if (event.type === 'content_block_start') {
        open = event.index
        blocks += 1
      }
      if (event.type === 'content_block_stop') open = null
      if (event.type === 'message_delta') isEnded ||= typeof event.delta.stop_reason === 'string'
    },
  }
}
