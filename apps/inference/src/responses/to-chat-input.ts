import type { Issue } from '@tollbook/http/problem'
import * as z from 'zod'
import type { ChatInput } from '../chat/request-fields.ts'
import { toNestedIssues } from '../schema-issues.ts'
import { findRefusedResponsesFields, type ResponsesInput } from './request-fields.ts'
import { chatNameOf, readTools, toChatTool } from './tools.ts'

const inputText = z.looseObject({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() })
const refusal = z.looseObject({ type: z.literal('refusal'), refusal: z.string() })
const inputImage = z.looseObject({
  type: z.literal('input_image'),
  image_url: z.string({ error: 'must contain the image or its URL: files are not stored' }),
  detail: z.string().nullish(),
})
const inputFile = z.looseObject({
  type: z.literal('input_file'),
  file_data: z.string({ error: 'must contain the file: files are neither stored nor fetched' }),
  filename: z.string().nullish(),
})
const inputAudio = z.looseObject({ type: z.literal('input_audio'), input_audio: z.looseObject({}) })

const userPart = z.discriminatedUnion('type', [inputText, inputImage, inputFile, inputAudio])
const assistantPart = z.discriminatedUnion('type', [inputText, refusal])
const output = z.union([z.string(), z.array(inputText)])

const message = z.discriminatedUnion('role', [
  z.looseObject({
    role: z.enum(['system', 'developer']),
    content: z.union([z.string(), z.array(inputText).min(1)]),
  }),
  z.looseObject({ role: z.literal('user'), content: z.union([z.string(), z.array(userPart).min(1)]) }),
  z.looseObject({ role: z.literal('assistant'), content: z.union([z.string(), z.array(assistantPart)]) }),
])

/** Items other than messages, https://platform.openai.com/docs/api-reference/responses/create#responses-create-input */
const otherItem = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('function_call'),
    call_id: z.string(),
    name: z.string(),
    namespace: z.string().nullish(),
    arguments: z.string(),
  }),
  z.looseObject({ type: z.literal('function_call_output'), call_id: z.string(), output }),
  z.looseObject({
    type: z.literal('custom_tool_call'),
    call_id: z.string(),
    name: z.string(),
    namespace: z.string().nullish(),
    input: z.string(),
  }),
  z.looseObject({ type: z.literal('custom_tool_call_output'), call_id: z.string(), output }),
  z.looseObject({ type: z.literal('reasoning') }),
])

/** The schema of one item: one without a type is a message. */
const itemSchemaOf = (given: { readonly type?: string | undefined }) =>
  given.type === undefined || given.type === 'message' ? message : otherItem

type MessageItem = z.output<typeof message>
type OtherItem = z.output<typeof otherItem>
type Part = z.output<typeof userPart> | z.output<typeof assistantPart>

type ChatMessage = ChatInput['messages'][number]
type Placed = { readonly message: ChatMessage; readonly place: string }

/** A request as a chat, with the place in the request that each message comes from. */
export type Translated = { readonly chat: ChatInput; readonly places: readonly string[] }

/** Translates a request to a chat of the same tier, or reports every part that has no counterpart. */
export function toChatInput(input: ResponsesInput): Translated | { readonly issues: readonly Issue[] } {
  const issues: Issue[] = [...findRefusedResponsesFields(input)]
  const tools = [...readTools(input, issues)].map(([name, tool]) => toChatTool(name, tool))
  const choice = input.tool_choice
  if (typeof choice === 'object' && choice && !('name' in choice))
    issues.push({ parameter: 'tool_choice.type', detail: 'must be function or custom, with a name' })
  const placed = readMessages(input, issues)
  if (issues.length > 0) return { issues }
  const { model, stream, temperature, top_p, parallel_tool_calls, user, reasoning, text } = input
  const chat: ChatInput = {
    model,
    stream,
    messages: placed.map(({ message }) => message),
    max_tokens: input.max_output_tokens,
    temperature,
    top_p,
    presence_penalty: input.presence_penalty,
    frequency_penalty: input.frequency_penalty,
    ...(tools.length > 0 && { tools, tool_choice: toChoice(choice), parallel_tool_calls }),
    response_format: toFormat(text?.format),
    reasoning_effort: reasoning?.effort,
    verbosity: text?.verbosity,
    user,
  }
  return { chat, places: placed.map(({ place }) => place) }
}

/** The issues of the chat under the names of the request. */
export function toResponsesIssues(issues: readonly Issue[], places: readonly string[]): readonly Issue[] {
  return issues.map((issue) => ({ ...issue, parameter: toResponsesName(issue.parameter, places) }))
}

const NAMES: Readonly<Record<string, string>> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
  verbosity: 'text.verbosity',
}

function toResponsesName(parameter: string, places: readonly string[]): string {
  const [head = '', at, ...rest] = parameter.split('.')
  const place = head === 'messages' && at !== undefined ? places[Number(at)] : undefined
  if (place !== undefined) return [place, ...rest].join('.')
  return parameter.replace(head, NAMES[head] ?? head)
}

function readMessages({ input, instructions }: ResponsesInput, issues: Issue[]): readonly Placed[] {
  const placed: Placed[] = []
  if (instructions) placed.push({ message: { role: 'system', content: instructions }, place: 'instructions' })
  if (typeof input === 'string')
    return [...placed, { message: { role: 'user', content: input }, place: 'input' }]
  for (const [at, given] of input.entries()) {
    const place = `input.${at}`
    const schema: z.ZodType<MessageItem | OtherItem> = itemSchemaOf(given)
    const read = schema.safeParse(given)
    if (read.success) addItem(placed, read.data, place)
    else issues.push(...toNestedIssues(read.error, given, place))
  }
  return placed
}

/** Adds an item; calls join the assistant's message before them, as the chat dialect has them. */
function addItem(placed: Placed[], item: MessageItem | OtherItem, place: string): void {
  const add = (message: ChatMessage) => placed.push({ message, place })
  if ('role' in item && isMessage(item)) {
    // Templates of open models know no developer, and some only one system message, at the start.
    const role = item.role === 'developer' ? 'system' : item.role
    const last = placed.at(-1)
    if (role === 'system' && placed.length === 1 && last?.message.role === 'system') {
      const joined = [last.message.content, textOf(item.content)].join('\n\n')
      placed[0] = { message: { role, content: joined }, place }
    } else add({ role, content: toContent(item.content) })
    return
  }
  switch (item.type) {
    case 'function_call':
      addCall(placed, { ...item, text: item.arguments }, place)
      break
    case 'custom_tool_call':
      addCall(placed, { ...item, text: JSON.stringify({ input: item.input }) }, place)
      break
    case 'function_call_output':
    case 'custom_tool_call_output':
      add({ role: 'tool', tool_call_id: item.call_id, content: textOf(item.output) })
  }
}

const isMessage = (item: MessageItem | OtherItem): item is MessageItem =>
  item.type === undefined || item.type === 'message'

type Call = {
  readonly call_id: string
  readonly name: string
  readonly namespace?: string | null | undefined
  readonly text: string
}

function addCall(placed: Placed[], { call_id, name, namespace, text }: Call, place: string): void {
  const called = { name: chatNameOf(name, namespace), arguments: text }
  const made = { id: call_id, type: 'function', function: called }
  const last = placed.at(-1)
  if (last?.message.role !== 'assistant') {
    placed.push({ message: { role: 'assistant', content: null, tool_calls: [made] }, place })
    return
  }
  const { tool_calls, ...message } = last.message
  const calls = [...(Array.isArray(tool_calls) ? tool_calls : []), made]
  placed[placed.length - 1] = { ...last, message: { ...message, tool_calls: calls } }
}

/** One text stays text: many servers read no parts. */
function toContent(content: string | readonly Part[]): unknown {
  if (typeof content === 'string') return content
  if (content.every((part) => 'text' in part) && content.length === 1) return textOf(content)
  return content.map(toChatPart)
}

function textOf(content: string | readonly Part[]): string {
  if (typeof content === 'string') return content
  return content.map((part) => ('text' in part ? part.text : '')).join('\n')
}

function toChatPart(part: Part): object {
  switch (part.type) {
    case 'input_image':
      return {
        type: 'image_url',
        image_url: { url: part.image_url, ...(part.detail && { detail: part.detail }) },
      }
    case 'input_file':
      return {
        type: 'file',
        file: { file_data: part.file_data, ...(part.filename && { filename: part.filename }) },
      }
    case 'input_audio':
    case 'refusal':
      return part
    default:
      return { type: 'text', text: part.text }
  }
}

function toChoice(choice: ResponsesInput['tool_choice']): ChatInput['tool_choice'] {
  if (typeof choice !== 'object' || !choice) return choice
  return { type: 'function', function: { name: choice.name } }
}

function toFormat(format: NonNullable<ResponsesInput['text']>['format']): ChatInput['response_format'] {
  if (!format || format.type === 'text') return undefined
  const { type, ...schema } = format
  return type === 'json_schema' ? { type, json_schema: schema } : { type }
}
