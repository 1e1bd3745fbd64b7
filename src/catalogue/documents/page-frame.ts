import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import { DOCS_STYLE } from './docs-style.ts'

type Html = ReturnType<typeof html>

/** A page of a service, ready to be sent. */
export type RenderedPage = { readonly body: string; readonly headers: Readonly<Record<string, string>> }

/**
 * Frames a page: no script, no form, no external requests, and a style that the policy allows by its hash.
 */
export async function renderPage(title: string, content: Html): Promise<RenderedPage> {
  const body = await html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="icon" href="data:,"><style>${raw(DOCS_STYLE)}</style></head>
<body>${content}</body></html>`
  return {
    body: String(body),
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': [
        "default-src 'none'",
        `style-src 'sha256-${createHash('sha256').update(DOCS_STYLE).digest('base64')}'`,
        'img-src data:',
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
    },
  }
}
