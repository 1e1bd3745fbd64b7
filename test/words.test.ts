import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { files, sources } from './imports.ts'

/** Words that docs/glossary.md replaces, as parts of identifiers. */
const REPLACED_WORDS = new RegExp(
  [
    String.raw`\b(?:isPassing|letGo|PaymentTerms|createTurns|sayHindrance|[hH]indrance|createRepetition|hurry|lastWords)\b`,
    String.raw`\b(?:isTooDear|decodePicture|DecodedPicture|PictureKind|findPictureKind|readPicture)\b`,
    String.raw`\b(?:withAliases|givenValue|Unaliased|withoutAliases|RenderWishes|toWishes)\b`,
    String.raw`\b(?:MOST|FEWEST|LONGEST|SHORTEST|LEAST|DEEPEST|SMALLEST|LARGEST|FURTHEST)_[A-Z0-9_]+\b`,
    String.raw`\b(?:most|fewest|longest|shortest|least|deepest|smallest|largest|furthest)[A-Z]\w*`,
  ].join('|'),
  'g',
)
const REPLACED_LOCALS = /\b(?:const|let) (?:given|asked|told|kept)\b/g
const FAULT = /\bfaults?\b|\b[a-z]\w*Faults?\b|\bFaults?\b|\b[A-Z_]*(?<!DE)FAULTS?\b/g
/** Where `faults` is the name of `issues` in version 1.0. */
const WIRE = [
  'packages/pay/src/pay.ts',
  'packages/endpoints/src/documents/error-schemas.ts',
  'packages/http/src/problem-guide.ts',
  'packages/http/src/reply/problem-document.ts',
]

test('identifiers use the terms of docs/glossary.md', () => {
  const found = files
    .filter((file) => file !== 'test/words.test.ts')
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8')
      const isSource = sources.includes(file)
      const words = [
        ...text.matchAll(REPLACED_WORDS),
        ...(/^(packages|apps)\/(?!testing\/)/.test(file) ? text.matchAll(REPLACED_LOCALS) : []),
        ...(isSource && !WIRE.includes(file) ? text.matchAll(FAULT) : []),
      ]
      return words.map(([word]) => `${file}: ${word}`)
    })
  assert.deepEqual(found, [])
})
