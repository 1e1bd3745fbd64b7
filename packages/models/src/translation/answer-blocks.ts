import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  END,
  JsonCursor,
  OPEN_LIST,
  OPEN_OBJECT,
} from '@tollbook/flow/json/json-cursor'
import { ModelFailed } from '../failure.ts'
import type { MessageEvent } from '../messages/answer.ts'
import { toCallId } from './to-message.ts'

/** The part of a chunk that belongs to one tool call. */
export type CallDelta = {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  readonly text: string
}

/** Builds sequential answer blocks from chunks in which tool calls may be interleaved. */
export type AnswerBlocks = {
  readonly addText: (kind: 'text' | 'thinking', text: string) => void
  /** @throws ModelFailed if a call continues after its end */
  readonly addCall: (delta: CallDelta) => void
  /**
   * Returns the events that are ready; with `isEnd` all remaining ones.
   * @throws ModelFailed if a call has no name at the end
   */
  readonly take: (isEnd: boolean) => MessageEvent[]
  /** Whether there was any tool call. */
  readonly hasCalls: () => boolean
}

type Block = {
  readonly kind: 'text' | 'thinking' | 'call'
  id: string
  name: string
  /** Received but not yet emitted. */
  waiting: string
  readonly json: WholeJson
  isOpen: boolean
  isClosed: boolean
}

/** Detects when a streamed text is a complete JSON object. */
type WholeJson = {
  readonly add: (text: string) => void
  /** Whether the object has been closed, so that only white space may follow. */
  readonly isWhole: () => boolean
}

/**
 * Orders blocks by first appearance. Only the first one is open; later ones are buffered until it is closed,
 * because the messages API sends blocks sequentially. A text closes when another block starts; a call closes
 * when its arguments are a complete object and another block starts.
 */
export function createAnswerBlocks(): AnswerBlocks {
  const queue: Block[] = []
  const calls = new Map<number, Block>()
  let count = 0
  let closed = 0

  function add(kind: Block['kind']): Block {
    const block: Block = {
      kind,
      id: '',
      name: '',
      waiting: '',
      json: createWholeJson(),
      isOpen: false,
      isClosed: false,
    }
    queue.push(block)
    return block
  }

  function findCall({ index, id, name }: CallDelta): Block {
    // Servers that send each call whole omit the index or leave it at 0.
    const at = index ?? (id || name ? count : count - 1)
    const known = calls.get(at)
    if (known && !(id && known.id && id !== known.id && name)) return known
    count += 1
    const block = add('call')
    calls.set(at, block)
    return block
  }

  return {
    hasCalls: () => count > 0,
    addText(kind, text) {
      if (text === '') return
      const last = queue.at(-1)
      const block = last?.kind === kind ? last : add(kind)
      block.waiting += text
    },
    addCall(delta) {
      const block = findCall(delta)
      block.id ||= delta.id
      block.name ||= delta.name
      if (block.isClosed && delta.text.trim() !== '')
        throw new ModelFailed('a tool call continues after its end')
      if (block.isClosed) return
      block.waiting += delta.text
      block.json.add(delta.text)
    },
    take(isEnd) {
      const events: MessageEvent[] = []
      for (let head = queue[0]; head; head = queue[0]) {
        if (head.kind === 'call' && !head.name) {
          if (isEnd) throw new ModelFailed('a tool call has no name')
          break
        }
        const index = closed
        if (!head.isOpen)
          events.push({ type: 'content_block_start', index, content_block: toStart(head, index) })
        head.isOpen = true
        if (head.waiting) events.push({ type: 'content_block_delta', index, delta: toDelta(head) })
        head.waiting = ''
        const isDone = isEnd || (queue.length > 1 && (head.kind !== 'call' || head.json.isWhole()))
        if (!isDone) break
        events.push({ type: 'content_block_stop', index })
        head.isClosed = true
        closed += 1
        queue.shift()
      }
      return events
    },
  }
}

function toStart({ kind, id, name }: Block, index: number) {
  if (kind === 'text') return { type: kind, text: '', citations: null }
  if (kind === 'thinking') return { type: kind, thinking: '', signature: '' }
  return { type: 'tool_use', id: id || toCallId(index), name, input: {} }
}

function toDelta({ kind, waiting }: Block) {
  if (kind === 'text') return { type: 'text_delta', text: waiting }
  if (kind === 'thinking') return { type: 'thinking_delta', thinking: waiting }
  return { type: 'input_json_delta', partial_json: waiting }
}

/** Tracks the brackets of a JSON text incrementally instead of parsing it repeatedly. */
function createWholeJson(): WholeJson {
  const cursor = new JsonCursor()
  let depth = 0
  let isWhole = false
  return {
    isWhole: () => isWhole,
    add(text) {
      cursor.feed(text)
      for (let code = cursor.next(); code !== END; code = cursor.next()) {
        if (code === OPEN_OBJECT || code === OPEN_LIST) depth += 1
        else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth -= 1
        else continue
        isWhole ||= depth === 0
      }
    },
  }
}
