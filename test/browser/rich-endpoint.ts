import { json } from '@tollbook/endpoints/answer'
import { defineEndpoint } from '@tollbook/endpoints/endpoint'
import * as z from 'zod'

/** Text that makes an element and runs, wherever it is not escaped. */
export const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(2)>'`

/** An answer with everything that the page renders. */
const rich = {
  markdown: `# Tides\n\n**High** at *noon*, [chart](https://tides.example/) and [trap](javascript:alert(3)).\n\n- one\n- two\n\n\`\`\`\n<script>alert(4)</script>\n\`\`\`\n\n![out](https://tides.example/x.png) ${HOSTILE}`,
  rows: [
    { name: HOSTILE, height: 2.1, harbours: ['Portsmouth', 'Dartmouth'], measurement: 'preliminary' },
    { name: 'ebb', height: 0.4, harbours: [], measurement: 'established', datum: null },
  ],
  image: 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACADs=',
  png_base64:
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  svg: '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><script>alert(5)</script><rect width="8" height="8"/></svg>',
  is_open: null,
}
/** Takes a list, and answers with `rich`. */
export const richEndpoint = defineEndpoint({
  id: 'test.rich',
  method: 'POST',
  path: '/test/rich',
  summary: 'Everything',
  description: 'Answers with everything that a page renders.',
  effect: 'none',
  pricing: { kind: 'exact', priceUsd: '0.01' },
  input: z.object({
    list: z.array(z.number()).describe('Numbers.'),
    mode: z.enum(['a', 'b']).optional(),
    big: z.int().optional(),
  }),
  output: z.looseObject({}),
  example: { input: { list: [1] }, output: rich },
  limits: { bodyBytes: 1024, timeoutMs: 20_000 },
  handle: ({ input }) => json({ ...rich, input: JSON.stringify(input) }),
})
