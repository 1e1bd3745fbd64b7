import type { MessageBlock, MessageEvent, MessageUsage } from '../../models/messages/answer.ts'
import { textOf } from '../messages/write-events.ts'
import { echoSettings } from './echo-settings.ts'
import type { ResponsesInput } from './request-fields.ts'
import { readTools } from './tools.ts'

/** An event of a stream, https://platform.openai.com/docs/api-reference/responses-streaming. */
export type ResponseEvent = Readonly<Record<string, unknown>> & {
  readonly type: string
  readonly sequence_number: number
}

/** An object of https://platform.openai.com/docs/api-reference/responses/object. */
export type ResponseObject = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly object: 'response'
  readonly created_at: number
  readonly status: Status
  readonly model: string
  readonly output: Item[]
}

type Status = 'in_progress' | 'completed' | 'incomplete'
type Item = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string }
type Part = Readonly<Record<string, unknown>>

/** Builds a response from the events of a model's message, and writes the events of the dialect for each. */
export interface ResponseWriter {
  /** The events before the first of the model. */
  start(): readonly ResponseEvent[]
  take(event: MessageEvent): readonly ResponseEvent[]
  /** The response so far; whole after the message has ended. */
  response(): ResponseObject
}

export type WriterOptions = {
  /** Letters and digits, for the ids of the response and its items. */
  readonly key: string
  /** The model name in the answer. */
  readonly model: string
  /** Seconds since 1970. */
  readonly createdAt: number
  /** The same for now, when the message has ended. */
  readonly completedAt: () => number
  readonly input: ResponsesInput
  /** The counts for the caller, from those of the upstream and the text of the answer. */
  readonly toUsage: (usage: MessageUsage | null, said: string) => Readonly<Record<string, unknown>>
}

/** A block of the message that has not ended; text gathers until then. */
type Open = { readonly kind: Kind; readonly item: Item; text: string }
type Kind = 'text' | 'reasoning' | 'summary' | 'function' | 'custom'

/** How the parts of an item are called in events. Calls of tools have no parts. */
const PARTS: Readonly<Partial<Record<Kind, { readonly index: object; readonly event: string }>>> = {
  text: { index: { content_index: 0 }, event: 'response.content_part' },
  reasoning: { index: { content_index: 0 }, event: 'response.content_part' },
  summary: { index: { summary_index: 0 }, event: 'response.reasoning_summary_part' },
}
const TEXTS: Readonly<Record<Kind, { readonly event: string; readonly name: string }>> = {
  text: { event: 'response.output_text', name: 'text' },
  reasoning: { event: 'response.reasoning_text', name: 'text' },
  summary: { event: 'response.reasoning_summary_text', name: 'text' },
  function: { event: 'response.function_call_arguments', name: 'arguments' },
  custom: { event: 'response.custom_tool_call_input', name: 'input' },
}

export function createResponseWriter(options: WriterOptions): ResponseWriter {
  const { key, model, createdAt, completedAt, input, toUsage } = options
  const tools = readTools(input)
  const output: Item[] = []
  let sequence = 0
  let open: Open | null = null
  let said = ''
  let stopReason: string | null = null
  let usage: MessageUsage | null = null

  const event = (type: string, fields: object): ResponseEvent => ({
    type,
    sequence_number: sequence++,
    ...fields,
  })

  function openBlock(block: MessageBlock): readonly ResponseEvent[] {
    const kind = kindOf(block)
    const id = `${ID_PREFIXES[kind]}_${key}_${output.length}`
    const item = { id, ...toItem(kind, nameBlock(block)) }
    const opened: Open = { kind, item, text: '' }
    open = opened
    const place = { output_index: output.length }
    const part = PARTS[kind]
    return [
      event('response.output_item.added', { ...place, item: { ...item, ...NO_PARTS[kind] } }),
      ...(part
        ? [
            event(`${part.event}.added`, {
              item_id: item.id,
              ...place,
              ...part.index,
              part: toPart(kind, ''),
            }),
          ]
        : []),
    ]
  }

  function addText(delta: MessageBlock): readonly ResponseEvent[] {
    const text = textOf(delta)
    if (!open || text === '') return []
    open.text += text
    said += text
    // The text is inside a JSON object that is not complete yet.
    return open.kind === 'custom' ? [] : [toDelta(open, text)]
  }

  function toDelta({ kind, item }: Open, delta: string): ResponseEvent {
    const place = { item_id: item.id, output_index: output.length, ...PARTS[kind]?.index }
    return event(`${TEXTS[kind].event}.delta`, { ...place, delta, ...(kind === 'text' && { logprobs: [] }) })
  }

  function closeBlock(): readonly ResponseEvent[] {
    if (!open) return []
    const { kind, item } = open
    const text = kind === 'custom' ? readInput(open.text) : open.text || (kind === 'function' ? '{}' : '')
    const place = { item_id: item.id, output_index: output.length, ...PARTS[kind]?.index }
    const done = { ...item, ...contentOf(kind, text), ...(hasStatus(kind) && { status: 'completed' }) }
    const events = [
      ...(kind === 'custom' ? [toDelta(open, text)] : []),
      event(`${TEXTS[kind].event}.done`, {
        ...place,
        [TEXTS[kind].name]: text,
        ...(kind === 'text' && { logprobs: [] }),
        ...(kind === 'function' && { name: item.name }),
      }),
      ...(PARTS[kind] ? [event(`${PARTS[kind].event}.done`, { ...place, part: toPart(kind, text) })] : []),
      event('response.output_item.done', { output_index: output.length, item: done }),
    ]
    output.push(done)
    open = null
    return events
  }

  function response(status: Status): ResponseObject {
    const reason = status === 'incomplete' ? (INCOMPLETE[stopReason ?? ''] ?? null) : null
    return {
      id: `resp_${key}`,
      object: 'response',
      created_at: createdAt,
      completed_at: status === 'completed' ? completedAt() : null,
      status,
      model,
      output: [...output],
      error: null,
      incomplete_details: reason && { reason },
      usage: status === 'in_progress' ? null : toUsage(usage, said),
      ...echoSettings(input),
    }
  }
  const status = (): Status => (stopReason !== null && stopReason in INCOMPLETE ? 'incomplete' : 'completed')

  return {
    start: () =>
      ['response.created', 'response.in_progress'].map((type) =>
        event(type, { response: response('in_progress') }),
      ),
    take(given) {
      switch (given.type) {
        case 'content_block_start':
          return openBlock(given.content_block)
        case 'content_block_delta':
          return addText(given.delta)
        case 'content_block_stop':
          return closeBlock()
        case 'message_delta':
          stopReason = given.delta.stop_reason ?? stopReason
          usage = given.usage ?? usage
          return []
        case 'message_stop':
          return [event(`response.${status()}`, { response: response(status()) })]
        default:
          return []
      }
    },
    response: () => response(status()),
  }

  /** A call of a tool under the name that the caller gave it. */
  function nameBlock(block: MessageBlock): MessageBlock {
    const known = block.type === 'tool_use' ? tools.get(String(block.name)) : undefined
    if (!known) return block
    const { tool, namespace } = known
    return { ...block, name: tool.name, ...(namespace !== undefined && { namespace }) }
  }

  function kindOf(block: MessageBlock): Kind {
    if (block.type === 'tool_use') return tools.get(String(block.name))?.tool.type ?? 'function'
    if (block.type === 'thinking') return input.reasoning?.summary ? 'summary' : 'reasoning'
    return 'text'
  }
}

/** Why a message that stopped is not whole; any other reason completes it. */
const INCOMPLETE: Readonly<Record<string, string>> = {
  max_tokens: 'max_output_tokens',
  model_context_window_exceeded: 'max_output_tokens',
  refusal: 'content_filter',
}

const ID_PREFIXES: Readonly<Record<Kind, string>> = {
  text: 'msg',
  reasoning: 'rs',
  summary: 'rs',
  function: 'fc',
  custom: 'ctc',
}
const NO_PARTS: Readonly<Record<Kind, object>> = {
  text: { content: [] },
  reasoning: { content: [] },
  summary: { summary: [] },
  function: {},
  custom: {},
}

/** Reasoning has no status: SDKs send items back, and some servers refuse it. */
const hasStatus = (kind: Kind) => kind !== 'reasoning' && kind !== 'summary'

function toItem(kind: Kind, block: MessageBlock): Omit<Item, 'id'> & { readonly type: string } {
  const content = contentOf(kind, '')
  switch (kind) {
    case 'text':
      return { type: 'message', status: 'in_progress', role: 'assistant', ...content }
    case 'reasoning':
    case 'summary':
      return { type: 'reasoning', summary: [], ...content }
    default: {
      const { id, name, namespace } = block
      const type = kind === 'custom' ? 'custom_tool_call' : 'function_call'
      return {
        type,
        status: 'in_progress',
        call_id: id,
        name,
        ...(namespace !== undefined && { namespace }),
        ...content,
      }
    }
  }
}

function contentOf(kind: Kind, text: string): Readonly<Record<string, unknown>> {
  if (kind === 'function' || kind === 'custom') return { [TEXTS[kind].name]: text }
  return { [kind === 'summary' ? 'summary' : 'content']: [toPart(kind, text)] }
}

function toPart(kind: Kind, text: string): Part {
  if (kind === 'text') return { type: 'output_text', text, annotations: [], logprobs: [] }
  return { type: kind === 'summary' ? 'summary_text' : 'reasoning_text', text }
}

/** The text that a model gives a custom tool, inside the object of a function. */
function readInput(text: string): string {
  try {
    const { input } = JSON.parse(text) as { input?: unknown }
    return typeof input === 'string' ? input : text
  } catch {
    return text
  }
}
