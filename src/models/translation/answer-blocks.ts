import { ModelFailed } from '../failure.ts'
import type { MessageEvent } from '../messages/answer.ts'
import { toCallId } from './to-message.ts'
import { createWholeJson, type WholeJson } from './whole-json.ts'

/** What a chunk says of one call. */
export type CallDelta = {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  readonly text: string
}

/** The blocks of an answer, one after the other, from chunks in which calls of tools may come interleaved. */
export type AnswerBlocks = {
  readonly addText: (kind: 'text' | 'thinking', text: string) => void
  /** @throws ModelFailed where a call goes on after its end. */
  readonly addCall: (delta: CallDelta) => void
  /**
   * The events that can be given by now; with `isEnd` all the rest.
   * @throws ModelFailed where a call has no name in the end.
   */
  readonly take: (isEnd: boolean) => MessageEvent[]
  /** Whether any call of a tool came. */
  readonly hasCalls: () => boolean
}

type Block = {
  readonly kind: 'text' | 'thinking' | 'call'
  id: string
  name: string
  /** What has come and was not given. */
  waiting: string
  readonly json: WholeJson
  isOpen: boolean
  isClosed: boolean
}

/**
 * Orders blocks by their first appearance. Only the first one is open; what belongs to later ones waits until it is
 * closed, because readers of the dialect take one block after the other. A text closes when another block comes, a
 * call when its arguments are a whole object and another block comes.
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
    // Servers that give each call whole leave the index out, or let it stay 0.
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
        throw new ModelFailed('a call of a tool goes on after its end')
      if (block.isClosed) return
      block.waiting += delta.text
      block.json.add(delta.text)
    },
    take(isEnd) {
      const events: MessageEvent[] = []
      for (let head = queue[0]; head; head = queue[0]) {
        if (head.kind === 'call' && !head.name) {
          if (isEnd) throw new ModelFailed('a call of a tool has no name')
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
  switch (kind) {
    case 'text':
      return { type: kind, text: '', citations: null }
    case 'thinking':
      return { type: kind, thinking: '', signature: '' }
    case 'call':
      return { type: 'tool_use', id: id || toCallId(index), name, input: {} }
  }
}

function toDelta({ kind, waiting }: Block) {
  switch (kind) {
    case 'text':
      return { type: 'text_delta', text: waiting }
    case 'thinking':
      return { type: 'thinking_delta', thinking: waiting }
    case 'call':
      return { type: 'input_json_delta', partial_json: waiting }
  }
}
