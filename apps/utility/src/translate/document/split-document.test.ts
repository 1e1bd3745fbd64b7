import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import type { LanguagePair } from '../language/language-pair.ts'
import { translateSegments } from '../translate-segments.ts'
import type { Pieces } from '../translation-backend.ts'
import type { Piece, Segment } from './segment.ts'
import { joinDocument, splitDocument } from './split-document.ts'

const isSegment = (part: string | Segment): part is Segment => typeof part !== 'string'

/** What a translator receives: prose, with masks in between. */
const seen = (text: string, format: 'markdown' | 'text' = 'markdown') =>
  splitDocument(text, format)
    .filter(isSegment)
    .map(({ pieces, masks }) =>
      pieces.map((piece) => (typeof piece === 'string' ? piece : `«${masks[piece]?.text}»`)).join(''),
    )

test('blocks of Markdown are split, and only prose is translated', () => {
  const document = `---
title: Not prose
---
# Heading *one* #

\`\`\`js
const notProse = 1
\`\`\`

    not prose either

> quote line
> next line

- [ ] an item
  goes on
1) first.
   More

| Name | Value |
|------|:-----:|
| the house | \`a\` |

Setext
------
<pre>
not prose
</pre>
[ref]: https://r.test "T"
[^1]: The note.
`
  assert.deepEqual(seen(document), [
    'Heading «*»one«*»',
    'quote line«\n> »next line',
    'an item«\n  »goes on',
    'first.',
    'More',
    'Name',
    'Value',
    'the house',
    'Setext',
    'The note.',
  ])
})

test('code, targets, addresses, placeholders, tags and escapes within prose are preserved', () => {
  assert.deepEqual(
    seen('Read [the *guide*](https://x.test/a_(b) "T") and ![a cat](c.png), or <https://y.test>.'),
    ['Read «[»the «*»guide«*»«](https://x.test/a_(b) "T")» and «![»a cat«](c.png)», or «<https://y.test>».'],
  )
  assert.deepEqual(seen('See [it][ref], [ref] and [^1].\n\n[ref]: /x'), [
    'See «[»it«][ref]», «[ref]» and «[^1]».',
  ])
  assert.deepEqual(seen('Run ``a ` b`` or snake_case, call() and --dry-run \\* now'), [
    'Run «``a ` b``» or «snake_case», «call()» and «--dry-run» «\\*» now',
  ])
  for (const format of ['markdown', 'text'] as const)
    assert.deepEqual(
      seen(
        'Hi {name}, {{ x }}, $NAME: %s of %1$d is 50% more (see https://x.test/a?b=1, me@x.test) <b>now</b>',
        format,
      ),
      [
        'Hi «{name}», «{{ x }}», «$NAME»: «%s» of «%1$d» is 50% more (see «https://x.test/a?b=1», «me@x.test») «<b>»now«</b>»',
      ],
    )
})

test('lines of plain text are translated separately unless they are wrapped', () => {
  const wrapped = 'A line that is so long that somebody must have wrapped it here\nand that goes on'
  assert.deepEqual(seen(`Title\r\n\r\n${wrapped}`, 'text'), ['Title', wrapped.replace('\n', '«\n»')])
  assert.deepEqual(seen('one\n two\n', 'text'), ['one', 'two'])
})

const word = fc.constantFrom(
  'the',
  'house',
  'is',
  'red',
  'über',
  '家',
  'ok.',
  'x!',
  '5%',
  '(see',
  'so)',
  '"it"',
)
const retained = fc.constantFrom(
  '`code`',
  '``a`b``',
  'https://x.test/a_b?c=1',
  'me@x.test',
  '{name}',
  '{{x}}',
  '%s',
  '%1$d',
  '<b>',
  '</b>',
  '<br/>',
  '\\*',
  '&amp;',
  'snake_case',
  '**bold**',
  '*it*',
  '[link](https://l.test)',
  '![p](q.png)',
  '[^1]',
  '~~no~~',
  '⟦0⟧',
  '|',
  '[ref]',
  '[text][ref]',
  '\u0000',
  '$$x$$',
  '`',
  '*',
  '[',
  ']',
  '<',
  '{',
  ':smile:',
)
const line = fc.array(fc.oneof(word, retained), { maxLength: 8 }).map((words) => words.join(' '))
const start = fc.constantFrom(
  '',
  '',
  '',
  '# ',
  '- ',
  '1. ',
  '> ',
  '> - ',
  '    ',
  '```\n',
  '| ',
  '---\n',
  '[ref]: ',
  '<pre>',
)
const end = fc.constantFrom('\n', '\n', '\n\n', '  \n', '\\\n', '\r\n', '\n```\n', ' |\n|---|\n')
const document = fc
  .array(
    fc.tuple(start, line, end).map((parts) => parts.join('')),
    { maxLength: 8 },
  )
  .map((lines) => lines.join(''))
const format = fc.constantFrom('markdown' as const, 'text' as const)

test('the parts of a document concatenate to the document', () => {
  fc.assert(
    fc.property(fc.oneof(document, fc.string({ unit: 'binary', maxLength: 30 })), format, (text, form) => {
      assert.equal(joinDocument(splitDocument(text, form)), text)
    }),
  )
})

/** Translators that lose, double, move and invent masks, differently in each segment. */
const hostile = (seed: number) => {
  let at = seed
  const ways: ((pieces: Pieces) => Piece[])[] = [
    (pieces) => [...pieces],
    (pieces) => [...pieces].reverse(),
    (pieces) => pieces.filter((piece) => typeof piece === 'string'),
    (pieces) => [...pieces, ...pieces],
    (pieces) => [...pieces, 99, '`**[new](http://evil.test)\n# <x> ⟦0⟧'],
    () => [],
    (pieces) =>
      pieces.map((piece) => (typeof piece === 'string' ? `\n- 1. ${piece.toUpperCase()}\r\n` : piece)),
  ]
  return {
    translate: async (segments: readonly Pieces[], _: LanguagePair) =>
      segments.map((pieces) => {
        // A segment without masks gets words, since nothing else would be accepted.
        const isAlone = pieces.every((piece) => typeof piece === 'string')
        at += 1
        return isAlone ? [`| ${pieces.join('')} *\n`] : (ways[at % ways.length]?.(pieces) ?? [])
      }),
  }
}

const pair = { source: 'en', target: 'es' }
const signal = new AbortController().signal
test('whatever a translator does, all masked text comes back, and lines stay lines', async () => {
  await fc.assert(
    fc.asyncProperty(document, format, fc.nat(6), async (text, form, seed) => {
      const parts = splitDocument(text, form)
      const segments = parts.filter(isSegment)
      const texts = await translateSegments(hostile(seed), segments, {
        pair,
        isMarkdown: form === 'markdown',
        signal,
      })
      const translated = texts.values()
      const result = parts.map((part) => (isSegment(part) ? (translated.next().value ?? '') : part)).join('')
      const breaks = (one: string) => one.match(/\r\n|[\r\n]/g) ?? []
      assert.deepEqual(breaks(result), breaks(text))
      segments.forEach(({ masks }, at) => {
        let rest = texts[at] ?? ''
        for (const { text: mask } of masks.toSorted((one, other) => other.text.length - one.text.length)) {
          assert.ok(rest.includes(mask), `${JSON.stringify(mask)} is lost in ${JSON.stringify(texts[at])}`)
          rest = rest.replace(mask, () => ' ')
        }
      })
      assert.ok(!result.includes('evil.test') || !result.includes('](http://evil'))
      assert.equal(
        parts.filter((part) => !isSegment(part)).every((part) => result.includes(part as string)),
        true,
      )
    }),
  )
})

test('a translator that returns its input changes nothing', async () => {
  const faithful = { translate: async (segments: readonly Pieces[]) => segments }
  await fc.assert(
    fc.asyncProperty(document, async (text) => {
      const parts = splitDocument(text, 'markdown')
      const segments = parts.filter(isSegment)
      const texts = await translateSegments(faithful, segments, { pair, isMarkdown: true, signal })
      const expected = segments.map((segment) => joinDocument([segment]))
      assert.deepEqual(texts, expected)
    }),
  )
})
