import * as z from 'zod'
import type { Fault } from '../../catalogue/problem.ts'
import { toFaults } from '../../catalogue/zod-faults.ts'
import type { ChatInput } from './request-fields.ts'

const LONGEST_IMAGE_URL = 2048
const IMAGE_DATA = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/

const textPart = z.looseObject({ type: z.literal('text'), text: z.string() })
const refusalPart = z.looseObject({ type: z.literal('refusal'), refusal: z.string() })
const imagePart = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({
    url: z
      .string()
      .refine(
        (url) => IMAGE_DATA.test(url) || (/^https?:\/\//i.test(url) && url.length <= LONGEST_IMAGE_URL),
        'must be an http(s) URL, or a data: URL of a PNG, JPEG, GIF or WebP in base64',
      ),
    detail: z.enum(['auto', 'low', 'high']).nullish(),
  }),
})
const audioPart = z.looseObject({
  type: z.literal('input_audio'),
  input_audio: z.looseObject({ data: z.base64(), format: z.enum(['wav', 'mp3']) }),
})
const filePart = z.looseObject({
  type: z.literal('file'),
  file: z.looseObject({
    file_data: z.string({ error: 'must hold the file: nothing is kept that file_id could name' }),
    file_id: z.null({ error: 'is not offered: send file_data' }).optional(),
  }),
})

const texts = z.union([z.string(), z.array(textPart).min(1)])
const parts = (options: readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]]) =>
  z.union([z.string(), z.array(z.discriminatedUnion('type', options)).min(1)])
const call = z.looseObject({ name: z.string(), arguments: z.string() })

/** A message of the dialect; members beside these pass as they are. */
const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.enum(['system', 'developer']), content: texts }),
  z.looseObject({ role: z.literal('user'), content: parts([textPart, imagePart, audioPart, filePart]) }),
  z.looseObject({
    role: z.literal('assistant'),
    content: parts([textPart, refusalPart]).nullish(),
    tool_calls: z
      .array(z.looseObject({ id: z.string(), type: z.literal('function'), function: call }))
      .nullish(),
    function_call: call.nullish(),
  }),
  z.looseObject({ role: z.literal('tool'), content: texts, tool_call_id: z.string() }),
  z.looseObject({ role: z.literal('function'), content: z.string().nullable(), name: z.string() }),
])

type Message = ChatInput['messages'][number]

/** What is wrong with the messages, each fault with its place. */
export function findMessageFaults(messages: readonly Message[]): Fault[] {
  return messages.flatMap((given, at) => {
    const read = message.safeParse(given)
    if (read.success) return []
    const issues = read.error.issues.flatMap(flatten)
    return toFaults(issues, given).map((fault) => {
      const place = fault.parameter === 'body' ? '' : `.${fault.parameter}`
      return { ...fault, parameter: `messages.${at}${place}` }
    })
  })
}

/** Of a union of text and parts, what is wrong with the parts: a text has no faults of its own. */
function flatten(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const deepest = issue.errors.find((errors) => errors.some(({ path }) => path.length > 0))
  if (!deepest) return [{ ...issue, code: 'custom', message: 'must be text or a list of parts' }]
  return deepest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })).flatMap(flatten)
}

/** Characters (code points) of a message that the model reads as text. */
export function countCharacters(given: Message): number {
  const { content, refusal, tool_calls, function_call } = given
  let count = 0
  const add = (value: unknown): void => {
    if (typeof value === 'string') for (const _ of value) count += 1
  }
  if (Array.isArray(content)) for (const part of content) add(part?.text ?? part?.refusal)
  else add(content)
  add(refusal)
  const calls: readonly unknown[] = [
    function_call,
    ...(Array.isArray(tool_calls) ? tool_calls.map((tool) => tool?.function) : []),
  ]
  for (const made of calls) if (isRecord(made)) for (const text of [made.name, made.arguments]) add(text)
  return count
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
