import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadIconIndex } from './icon-index.ts'
import { rankIcons } from './rank-icons.ts'

const index = await loadIconIndex()
const namesFor = (query: string, max = 20) =>
  rankIcons(index, query)
    .slice(0, max)
    .map(({ icon }) => index.icons[icon]?.name ?? '')

test('the whole icon set is indexed', () => {
  assert.ok(index.icons.length >= 1_990)
})

test('the name of each icon finds it', () => {
  const wrong = index.icons.filter(({ name }) => namesFor(name, 1)[0] !== name)
  assert.deepEqual(
    wrong.map(({ name }) => name),
    [],
  )
})

test('at least 98 % of all aliases and former names find their icon', (context) => {
  const namesByAlias = new Map<string, string[]>()
  for (const { name, aliases } of index.icons)
    for (const alias of aliases) namesByAlias.set(alias, [...(namesByAlias.get(alias) ?? []), name])
  // Some former names, such as `trash`, are now the names of other icons, which they find.
  const pairs = [...namesByAlias].filter(([alias]) => !index.byName.has(alias))
  const missed = pairs.filter(([alias, names]) => !names.includes(namesFor(alias, 1)[0] ?? ''))
  context.diagnostic(
    `${pairs.length - missed.length} of ${pairs.length}, without ${namesByAlias.size - pairs.length} current names: ${JSON.stringify(missed)}`,
  )
  assert.ok(pairs.length > 700)
  assert.ok(missed.length <= pairs.length * 0.02, JSON.stringify(missed))
})

test('a search term finds its icons among the first 20, if no more than 20 icons share it', (context) => {
  const byTerm = Map.groupBy(
    index.icons.flatMap(({ name, terms }) => terms.map((term) => ({ name, term }))),
    ({ term }) => term,
  )
  let pairs = 0
  const missed: string[] = []
  for (const [term, icons] of byTerm) {
    const found = new Set(namesFor(term))
    const first = icons.filter(({ name }) => found.has(name)).length
    pairs += Math.min(20, icons.length)
    if (first < Math.min(20, icons.length)) missed.push(`${term} ${first}/${icons.length}`)
  }
  const lost = missed.reduce((sum, text) => {
    const [, first = '0', all = '0'] = /(\d+)\/(\d+)$/.exec(text) ?? []
    return sum + Math.min(20, Number(all)) - Number(first)
  }, 0)
  context.diagnostic(
    `${pairs - lost} of ${pairs} pairs; ${missed.length} of ${byTerm.size} terms incomplete: ${missed.slice(0, 40).join(', ')}`,
  )
  assert.ok(lost <= pairs * 0.01, missed.join(', '))
})

test('everyday words find the expected icon', () => {
  const expected = {
    email: 'envelope',
    accessibility: 'universal-access',
    settings: 'gear',
    save: 'floppy-disk',
    home: 'house',
    delete: 'trash',
    search: 'magnifying-glass',
    'log in': 'right-to-bracket',
    Login: 'right-to-bracket',
    'dog food': 'bone',
    rocket: 'rocket',
    'paper plane': 'paper-plane',
    paperplane: 'paper-plane',
    arrowLeft: 'arrow-left',
    'fa-solid fa-user': 'user',
    $: 'dollar-sign',
    github: 'github',
    'credit cards': 'credit-card',
    'shopping cart': 'cart-shopping',
  }
  const found = Object.fromEntries(Object.keys(expected).map((query) => [query, namesFor(query, 1)[0]]))
  assert.deepEqual(found, expected)
})

test('misspellings, prefixes and inflected forms match', () => {
  const expected = {
    enevlope: 'envelope',
    magnifing: 'magnifying-glass',
    calender: 'calendar',
    umbrela: 'umbrella',
    'magnifying glas': 'magnifying-glass',
    printing: 'print',
  }
  for (const [query, name] of Object.entries(expected))
    assert.ok(namesFor(query, 3).includes(name), `${query}: ${namesFor(query, 5)}`)
  assert.ok(!namesFor('calender', 20).includes('blender'))
  assert.deepEqual(namesFor('qqqxzzzzv'), [])
  assert.deepEqual(namesFor('...'), [])
})
