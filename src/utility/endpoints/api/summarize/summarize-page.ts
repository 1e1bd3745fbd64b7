import { readBlocks } from '../../../../engines/extract/document/read-blocks.ts'
import { proseOf } from '../../../../engines/extract/document/write-text.ts'
import { extractPage } from '../../../../engines/extract/extract-page.ts'
import { countWords } from '../../../../engines/extract/words.ts'
import { type ChosenSentence, summarize } from '../../../../engines/summary/summarize.ts'
import { openPage } from '../../../page/open-page.ts'
import type { PageSource } from '../../../page/read-page.ts'

export type PageSummary = {
  readonly title: string | null
  readonly lang: string | null
  readonly chosen: readonly ChosenSentence[]
  readonly sentenceCount: number
  readonly wordCount: number
}

/** The job for a page. */
export function summarizePage({
  source,
  sentences,
}: {
  readonly source: PageSource
  readonly sentences: number
}) {
  return openPage(source, ({ html }): PageSummary => {
    const { head, tree } = extractPage(html, source.url, { isMainOnly: true, includeImages: false })
    const blocks = readBlocks(tree, { baseUrl: head.baseUrl, includeLinks: false, includeImages: false })
    return summarizeParagraphs(proseOf(blocks), { title: head.title, lang: head.lang, sentences })
  })
}

/** The job for a text; its paragraphs end with line breaks. */
export function summarizeText({
  text,
  title,
  lang,
  sentences,
}: {
  readonly text: string
  readonly title: string | null
  readonly lang: string | null
  readonly sentences: number
}): PageSummary {
  return summarizeParagraphs(joinLines(text), { title, lang, sentences })
}

/** In a text with empty lines, lines may break anywhere; otherwise each line is a paragraph. */
function joinLines(text: string): string[] {
  const clean = text.replace(/\r\n?/g, '\n').trim()
  return clean.split(/\n[^\S\n]*\n/.test(clean) ? /\n\s*\n/ : '\n')
}

function summarizeParagraphs(
  paragraphs: readonly string[],
  options: { readonly title: string | null; readonly lang: string | null; readonly sentences: number },
): PageSummary {
  return {
    title: options.title,
    lang: options.lang,
    wordCount: paragraphs.reduce((sum, paragraph) => sum + countWords(paragraph), 0),
    ...summarize(paragraphs, options),
  }
}
