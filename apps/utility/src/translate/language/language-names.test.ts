import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLanguageNames } from './language-names.ts'
import { choosePair, isForm } from './language-pair.ts'

const names = createLanguageNames()

test('languages are found by name in many languages, by code and by alias', () => {
  // Codes by ISO 639 (https://www.loc.gov/standards/iso639-2/php/code_list.php), the two-letter one first.
  const expected = {
    es: [
      'Spanish',
      'spanish ',
      'español',
      'Espanol',
      'Spanisch',
      'スペイン語',
      'es',
      'ES',
      'spa',
      'Castilian',
    ],
    de: ['German', 'Deutsch', 'allemand', 'deu', 'ger'],
    zh: ['Chinese', 'Mandarin', '中文', 'cmn', 'zho'],
    'zh-Hant': ['Traditional Chinese', 'Chinese (Traditional)', 'zh-hant', 'zt'],
    'pt-BR': ['Brazilian Portuguese', 'Portuguese (Brazil)', 'pt_br', 'PT-BR'],
    pt: ['português', 'por'],
    nb: ['nob', 'Norwegian Bokmål', 'bokmal'],
    ast: ['Asturian', 'asturianu', 'ast'],
    he: ['Hebrew', 'עברית', 'iw'],
    ru: ['Russian', 'Русский', 'rus'],
  }
  for (const [code, texts] of Object.entries(expected))
    for (const text of texts) assert.equal(names.find(text)?.code, code, text)
  assert.deepEqual(names.find('español'), { code: 'es', name: 'Spanish' })
  for (const text of ['Klingonese', 'xx', 'qqq', '', 'es-', '__proto__', 'constructor'])
    assert.equal(names.find(text), null, text)
})

test('a variant can replace another of the same script, but not of another region or script', () => {
  assert.ok(
    isForm('pt', 'pt-BR') && isForm('zh', 'zh-Hans') && isForm('no', 'nb') && isForm('ca', 'ca-valencia'),
  )
  assert.ok(
    !isForm('pt-PT', 'pt-BR') && !isForm('zh', 'zh-Hant') && !isForm('sr', 'sr-Latn') && !isForm('es', 'ca'),
  )
  const pairs = ['en-US', 'en', 'en-GB'].map((target) => ({ source: 'es', target }))
  const chosen = (target: string) => choosePair(pairs, { source: 'es', target })?.target
  assert.deepEqual(
    [chosen('en'), chosen('en-GB'), chosen('en-AU'), chosen('fr')],
    ['en', 'en-GB', 'en', undefined],
  )
})
