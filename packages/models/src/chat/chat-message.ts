import * as z from 'zod'

const MAX_IMAGE_URL_LENGTH = 2048
const IMAGE_DATA = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/

const textPart = z.looseObject({ type: z.literal('text'), text: z.string() })
const refusalPart = z.looseObject({ type: z.literal('refusal'), refusal: z.string() })
const imagePart = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({
    url: z
      .string()
      .refine(
        (url) => IMAGE_DATA.test(url) || (/^https?:\/\//i.test(url) && url.length <= MAX_IMAGE_URL_LENGTH),
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
    file_data: z.string({
      error: 'must contain the file: files are not stored, so file_id is not supported',
    }),
    file_id: z.null({ error: 'is not supported: send file_data' }).optional(),
  }),
})

const texts = z.union([z.string(), z.array(textPart).min(1)])
const userParts = z.discriminatedUnion('type', [textPart, imagePart, audioPart, filePart])
const assistantParts = z.discriminatedUnion('type', [textPart, refusalPart])
const call = z.looseObject({ name: z.string(), arguments: z.string() })
const toolCall = z.looseObject({ id: z.string(), type: z.literal('function'), function: call })

/** A message of a chat completions request; unknown members are passed on unchanged. */
export const chatMessage = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('system'), content: texts }),
  z.looseObject({ role: z.literal('developer'), content: texts }),
  z.looseObject({ role: z.literal('user'), content: z.union([z.string(), z.array(userParts).min(1)]) }),
  z.looseObject({
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(assistantParts).min(1)]).nullish(),
    tool_calls: z.array(toolCall).nullish(),
    function_call: call.nullish(),
  }),
  z.looseObject({ role: z.literal('tool'), content: texts, tool_call_id: z.string() }),
  z.looseObject({ role: z.literal('function'), content: z.string().nullable(), name: z.string() }),
])

export type ChatMessage = z.output<typeof chatMessage>
