import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toReadableTree } from '../extract-page.ts'
import { readPageHead } from '../read-head.ts'
import { analysePage } from './analyse-page.ts'
import { findElsewhere } from './find-elsewhere.ts'
import { findGroups } from './find-groups.ts'
import { addComments, addQuotes } from './keep-quotes.ts'
import { addRatings } from './keep-ratings.ts'
import { addRecipeLines } from './keep-recipes.ts'
import type { Found } from './kept-page.ts'
import { preparePage } from './prepare-page.ts'

const URL_OF_PAGE = 'https://cook.example/soup'

/** What a step adds to a page of which only the pieces with one of these texts are kept. */
function added(step: (found: Found) => number[], html: string, kept: readonly string[] = []): string[] {
  const { head, declared } = readPageHead(html, URL_OF_PAGE)
  const context = { url: URL_OF_PAGE, head, declared, pageType: 'article' as const }
  const page = preparePage(analysePage(toReadableTree(html), context))
  const { pieces } = page
  const found = step({
    page,
    groups: findGroups(pieces, page.counts),
    probabilities: pieces.map(() => 0.4),
    isKept: pieces.map(({ text }) => kept.includes(text)),
    includeImages: false,
    isElsewhere: findElsewhere(page),
  })
  return [...new Set(found)].sort((one, other) => one - other).map((at) => pieces[at]?.text ?? '')
}

const PROSE = `<p>${'The soup is cooked for an hour and served with bread, which people like. '.repeat(40)}</p>`
const declare = (ingredients: readonly string[]) =>
  `<script type="application/ld+json">${JSON.stringify({
    '@type': 'Recipe',
    recipeIngredient: ingredients,
  })}</script>`

test('declared ingredients are kept in a part that is named like navigation, and not in a nav element', () => {
  const list = '<ul><li>2 leeks</li><li>1 l of stock</li></ul>'
  const page = (name: string) => `${declare(['2 leeks', '1 l of stock'])}${PROSE}<${name}>${list}</${name}>`
  assert.deepEqual(added(addRecipeLines, page('div class="anchor-nav"')), ['2 leeks', '1 l of stock'])
  assert.deepEqual(added(addRecipeLines, page('nav')), [])
})

test('a declared ingredient is kept as a link if it has a quantity', () => {
  const lines = '<p><a href="/a">240 g of rice</a></p><p><a href="/b">Rice pudding</a></p>'
  assert.deepEqual(added(addRecipeLines, `${declare(['240 g of rice', 'Rice pudding'])}${PROSE}${lines}`), [
    '240 g of rice',
  ])
})

test('a text that consists of declared ingredients is kept', () => {
  const lines = ['750 g of cabbage', '1 leek', '250 g of mushrooms', 'salt to taste']
  const text = '750 g of cabbage 1 leek 250 g of mushrooms salt to taste'
  assert.deepEqual(added(addRecipeLines, `${declare(lines)}${PROSE}<p>${lines.join('<br>')}</p>`), [text])
})

test('an ingredient is kept with the quantity in its row, and a linked one in a row with a quantity', () => {
  const row = (name: string, amount: string) => `<div><div>${amount}</div><div>${name}</div></div>`
  assert.deepEqual(added(addRecipeLines, `${declare(['rice'])}${PROSE}${row('rice', '200 g')}${PROSE}`), [
    '200 g',
    'rice',
  ])
  const linked =
    '<div class="ingredient_row"><div><a href="/stock">Stock</a></div><div class="amount">1 spoon</div></div>'
  assert.ok(added(addRecipeLines, PROSE + linked).includes('Stock'))
  assert.deepEqual(added(addRecipeLines, `${PROSE}<div class="ingredient"><a href="/s">Stock</a></div>`), [])
})

test('lines with quantities below a heading of ingredients are kept, up to the next heading', () => {
  const lines = '<p>130 g of honey</p><p>a pinch of salt</p><p>50 g of sugar</p>'
  const rest = '<h2>Also good</h2><p>3 more recipes</p><p>2 more soups</p>'
  assert.deepEqual(added(addRecipeLines, `${PROSE}<h2>Ingredienser</h2>${lines}${rest}`), [
    '130 g of honey',
    'a pinch of salt',
    '50 g of sugar',
  ])
  assert.deepEqual(added(addRecipeLines, `${PROSE}<h2>Ingredients</h2><p>We like salt</p>`), [])
})

test('a quotation is kept as a whole if most of it is, and between kept pieces', () => {
  const quote = '<blockquote><p>Honoured to be here today, all of you.</p><p>A guest</p></blockquote>'
  assert.deepEqual(added(addQuotes, PROSE + quote, ['Honoured to be here today, all of you.']), [
    'Honoured to be here today, all of you.',
    'A guest',
  ])
  assert.equal(added(addQuotes, `<p>one</p>${quote}<p>two</p>`, ['one', 'two']).length, 2)
  assert.deepEqual(added(addQuotes, `<p>one</p>${quote}<p>two</p>`, ['one']), [])
})

test('all comments are kept if a good part of them is', () => {
  const comments = '<div class="comment-body">First of all</div><div class="comment-body">Second</div>'
  assert.deepEqual(added(addComments, comments, ['First of all']), ['First of all', 'Second'])
  assert.deepEqual(added(addComments, comments, ['Second']), [])
})

test('a table of how many customers gave each number of stars is kept', () => {
  const table = (rows: readonly number[]) =>
    `<table>${rows.map((stars) => `<tr><td>${stars} star</td><td>${stars * 6}%</td></tr>`).join('')}</table>`
  assert.equal(added(addRatings, PROSE + table([5, 4, 3, 2, 1])).length, 10)
  assert.deepEqual(added(addRatings, PROSE + table([1, 2, 3, 4, 5])), [])
})
