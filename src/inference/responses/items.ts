import * as z from 'zod'

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
export const itemSchemaOf = (given: { readonly type?: string | undefined }) =>
  given.type === undefined || given.type === 'message' ? message : otherItem

export type MessageItem = z.output<typeof message>
export type OtherItem = z.output<typeof otherItem>
export type Part = z.output<typeof userPart> | z.output<typeof assistantPart>
