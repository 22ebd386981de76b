// SPDX-License-Identifier: MIT
// types.ts: code that index.d.ts must allow, and code that it must refuse.
// types.test.js compiles it; it is never run.
import {
  Body, Box, Change, Document, DocumentChange, Draft, History, Hit, Item, ItemSlide, ItemSweep, MapDraft, Mismatch, Pair, PersistentImage, PersistentMap, PersistentTree, Recording, Region, World, memory, reclaim,
  cells, exclusiveBytes, setMemoryLimit,
} from 'pqt';

const area: Box = { minX: 0, minY: 0, maxX: 1, maxY: 1 };
const item: Item = { ...area, id: 5n };

let tree: PersistentTree = new PersistentTree({ bounds: area, uniqueIds: true });
tree = tree.insert(item).load([item]).load(new Float64Array(4), new Uint32Array(1)).remove(item).move(item, area);
tree = PersistentTree.of(new Float64Array(4), [1], { leafCapacity: 8 });
const ids: Uint32Array = tree.searchIds(area);
const nearest: number = tree.nearest(0, 0, 5)[0].distance + tree.nearest(area, 5, 10)[0].distance;
tree[Symbol.dispose]();
// @ts-expect-error a box has no y after it
tree.nearest(area, 5, 10, 15);
const even = ({ id }: Item) => BigInt(id) % 2n === 0n;
tree.search(area, { relation: 'inside', filter: even }).concat(...tree.pages(area, { size: 5 }), tree.nearest(0, 0, { most: 5, filter: even }));
// @ts-expect-error a relation is one of four
tree.count(area, { relation: 'near' });
// @ts-expect-error a filter returns a boolean
tree.search(area, { filter: async () => true });
const pairs: Pair[] = tree.pairs().concat(tree.pairs({ relation: 'overlaps' }), tree.pairs(tree, { offset: { x: 5 }, filter: (a, b) => a.id !== b.id }));
// @ts-expect-error one tree has no offset
tree.pairs({ offset: { x: 5 } });
const sight: Hit | undefined = tree.cast({ from: { x: 0, y: 0 }, to: { x: 5, y: 5 } });
const farthest = tree.castAll({ from: { x: 0, y: 0 }, direction: { x: 1, y: 0 } }, { filter: even }).at(-1)?.exit;
// @ts-expect-error a line has one end
tree.cast({ from: { x: 0, y: 0 }, to: { x: 5, y: 5 }, direction: { x: 1, y: 0 } });
// @ts-expect-error a line may hit nothing
sight.entry;
const stop: ItemSweep = tree.sweep(area, { x: 0, y: 0 }, { x: 5, y: 5 }, { ignoreOverlap: true });
const walk: ItemSlide = tree.slide(2, { x: 0, y: 0 }, { x: 5, y: 5 }, { bounces: 1 });
// @ts-expect-error a sweep has no bounces
tree.sweep(area, { x: 0, y: 0 }, { x: 5, y: 5 }, { bounces: 1 });
tree = tree.keep(area, { filter: even }).restore(tree, area, { relation: 'inside' });
tree = tree.union(tree, { onConflict: 'ours' }).intersection(tree).difference(tree);
const extent: Box | null = tree.extent;
console.log(extent?.minX, pairs, farthest, stop.item?.id, walk.last.status);
for (const { id, minX } of tree) console.log(id, minX, ids, nearest);
const changes: Change[] = tree.diff(tree);
for (const change of changes) if (change.kind === 'move') console.log(change.to.minX);
tree = tree.edit((draft) => draft.insert(item).remove(item).move(item, area).load([item]).removeAll(new Float64Array(4), [1]));
tree = tree.edit((draft: Draft) => { draft.load(new Float64Array(4)); });
tree = tree.edit((draft) => draft.removeId(5).moveId(5n, area)).removeId(5n).moveId(5, area);
tree = tree.removeIds(tree.searchIds(area)).removeIds([1, 5n]).moveIds(tree.searchBigIds(area), [area]).moveIds([1] as const, new Float64Array(4));
tree = tree.edit((draft) => draft.removeIds(new Float64Array(1)).moveIds([5n], [area] as const));
// @ts-expect-error ids are an array
tree.removeIds(new Set([1]));
// @ts-expect-error there is a box for each id
tree.moveIds([1], area);
const known: number | undefined = tree.find(5n)?.minX, isThere: boolean = tree.has(item);
console.log(known, isThere);
// @ts-expect-error the tree finds ids, not items
tree.find(item);
// @ts-expect-error an item may be absent
tree.find(5).minX;
// @ts-expect-error the function is async
tree.edit(async (draft) => { draft.insert(item); });
// @ts-expect-error the function is a generator
tree.edit(function* (draft) { draft.insert(item); });
// @ts-expect-error the function is an async generator
tree.edit(async function* (draft) { draft.insert(item); });
function* generate<T>(value: T) { yield value; }
// @ts-expect-error items are an array
tree.load(generate(item));
// @ts-expect-error items are an array
PersistentTree.of(new Set([item]));
// @ts-expect-error ids are an array
PersistentTree.of(new Float64Array(4), generate(1));
// @ts-expect-error objects have ids of their own
tree.load([item], [1]);
// @ts-expect-error objects have ids of their own
tree.edit((draft) => { draft.removeAll([item], [1]); });
PersistentTree.of(new Float64Array(4), undefined, { leafCapacity: 3 });
tree.edit((draft) => { if (draft.search(area).length + draft.size > 0) draft.remove(item); });
const drawn: Draft = tree.beginDraft().insert(item), fixed: PersistentTree = drawn.snapshot();
for (const { id } of drawn) drawn.removeId(id);
const near: number | undefined = drawn.nearest(1, 2)[0]?.distance, changed: Change[] = drawn.diff(fixed).concat(fixed.diff(drawn));
drawn.free();
drawn[Symbol.dispose]();
// @ts-expect-error a draft is not a version
tree.equals(drawn);
// @ts-expect-error a draft has no merge
drawn.merge(tree, tree);
// @ts-expect-error an item needs an id
tree.insert(area);
// @ts-expect-error a window is a box
tree.search(5);
// @ts-expect-error there is no such decision
tree.merge(tree, tree, { onConflict: 'mine' });
// @ts-expect-error the size is read-only
tree.size = 5;

const map = PersistentMap.of(new Map([[1, 'one']]), { values: 'bytes' }).set(2, new Uint8Array(2));
const text: string | undefined = map.getText(1);
const merged: PersistentMap<'ids', 'bytes'> = map.merge(map, map, { onConflict: ({ ours }) => (ours === undefined ? 'theirs' : { value: text ?? '' }) });
merged.setAll(generate([1, 'one'] as const)).deleteAll(generate(1)).deleteAll(new Set([1]));
const mapDraft = map.beginDraft().set(5, 'five'), five: Uint8Array | undefined = mapDraft.get(5);
console.log(five, map.diff(mapDraft).length, mapDraft.snapshot().getText(5));
mapDraft.free();
map.edit((draft) => draft.set(1, 'two').delete(2n).setAll(new Map([[3, 'three']])).deleteAll([4])).edit((draft: MapDraft) => { draft.set(1, 'two'); });
const colours = new PersistentMap().set(1, 0xff8800), colour: string | undefined = colours.get(1)?.toString(16);
const names = new PersistentMap({ keys: 'bytes', values: 'bytes' }).set('a', 'b'), first: Uint8Array | undefined = names.get('a');
const byName: PersistentMap<'bytes', 'numbers'> = PersistentMap.of([['a', 1n]], { keys: 'bytes' });
console.log(colour, first?.length, byName.keys(), names.diff(names).map(({ before }) => before?.length), PersistentMap.fromBytes(names.toBytes()).keyKind);
for (const [key, value] of byName) console.log(typeof key === 'string' ? key : key.length, typeof value === 'bigint' ? value : value.toFixed());
// @ts-expect-error the values are numbers
colours.set(1, 'orange');
// @ts-expect-error the keys are ids
colours.get('a');
// @ts-expect-error the values are byte strings
map.edit((draft) => draft.set(1, 2));
// @ts-expect-error the values of the other map are of another kind
colours.diff(map);
const mapHistory: History<PersistentMap<'bytes', 'bytes'>> = new History(names);
console.log(mapHistory.version().getText('a'), Document.of({ names }).get<typeof names>('names').getText('a'));
// @ts-expect-error the function is a generator
map.edit(function* (draft) { draft.delete(1); });
// @ts-expect-error a draft is no version
map.edit((draft) => { draft.merge(map, map); });
// @ts-expect-error a string is one key
map.edit((draft) => { draft.deleteAll('one'); });
// @ts-expect-error a string is one key
map.deleteAll('one');
// @ts-expect-error entries are pairs
map.setAll(generate(1));
// @ts-expect-error there is no such kind
new PersistentMap({ keys: 'texts' });
// @ts-expect-error the version is of another kind
map.diff(tree);

const plan = Document.of({ shapes: tree, names: { map: merged, keyedBy: 'shapes' } });
const shapes: PersistentTree = plan.get<PersistentTree>('shapes');
const differences: DocumentChange[] = plan.set('shapes', shapes).set({ shapes }).diff(plan);
for (const change of differences) if (change.kind === 'map') console.log(change.key, change.before);
plan.merge(plan, plan, { onConflict: (conflict) => (conflict.kind === 'item' ? { boxes: conflict.ours } : 'ours') });
// @ts-expect-error Document.of makes documents
new Document();

// @ts-expect-error boxes are an array
Region.ofBoxes(generate(area));
const region: Region = Region.ofPixels(new Uint8ClampedArray(4), { width: 1, height: 1, pixelStride: 4, offset: 3 });
region.paint({ x: 1, y: 2, radius: 3 }, { op: 'clear', box: area }).union(region, { x: 1 }).dilate(2, 4).transform('flipX');
const stopped: boolean = region.sweep({}, { x: 5 }, region).blockedX;
// @ts-expect-error there are 4 or 8 neighbours
region.outline(5);

region.sweep({}, { x: 5 }, region, { ignoreOverlap: true, cell: 4 }).exit.toFixed();
region.cast({ from: { x: 1, y: 2 }, direction: { x: 1, y: 0 } })?.normalX.toFixed();
const corners: number = region.contours(8, 1.5)[0][0].length + region.runs().length + (region.firstOverlap(region, {}, 'left')?.otherX ?? 0);
// @ts-expect-error a region has no such side
region.firstOverlap(region, {}, 'middle');

const picture = new PersistentImage({ width: 64, height: 64, colour: [255, 255, 255] });
const painted: PersistentImage = picture.paint({ x: 1, y: 2, radius: corners }, [0, 0, 0, 9], { mode: 'replace' }).fill(region, [9, 9, 9], { x: 2 });
const shownPixels = new ImageData(painted.toPixels(), painted.width);
PersistentImage.of(shownPixels).blit(painted, { box: area }).flood(1, 1, [0, 0, 0], { tolerance: 5 }).diff(painted)[0].minX.toFixed();
picture.merge(painted, picture, { onConflict: (box) => (box.minX > 0 ? 'ours' : 'base') }).select({ colour: [1, 2, 3] }).size.toFixed();
plan.set('picture', painted).get<PersistentImage>('picture').pixel(1, 2)[3].toFixed();
new History(picture).version().width.toFixed();
// @ts-expect-error a selection has one property
picture.select({ alpha: 1, light: 1 });
// @ts-expect-error a primitive of an image has no operation
picture.paint({ op: 'clear', x: 1, y: 2 }, [0, 0, 0]);
// @ts-expect-error a colour has three or four numbers
picture.paint({ x: 1, y: 2 }, [0, 0]);

const world = new World({ bounds: area, walls: false }).add({ id: 1, x: 0, y: 0, radius: 1 }).add([{ id: 2, x: 5, y: 0, radius: 1, vx: 1 }]);
const report = {};
const next: World = world.step(1 / 60, { gravity: { y: 9.81 }, restitution: 0.5, report }).add(world.arrays());
const body: Body | null = next.get(1);
console.log(body?.x, stopped, new Recording(next, 1, { every: 4 }).step({ report }).stats().energy);
// @ts-expect-error ids are arguments or an array
world.remove(generate(1));
// @ts-expect-error a body has a radius
world.add({ id: 1, x: 0, y: 0 });

const history: History<World> = new History(world, { maxEntries: 100 });
history.push(next, { label: 'Step' });
const earlier: World = history.version(0);
const read: History<World> = History.fromBytes<World>(history.toBytes(), { maxBytes: 1e6 });
console.log(read.current, earlier.fingerprint(), history.branches()[0].label, memory().bytes, reclaim().versions);

tree.findMismatches({ digests: async (paths) => paths.map((path) => tree.digest(path)), items: (paths) => paths.map((path) => tree.itemsAt(path)) })
  .then((cells) => cells.forEach(({ own, changes }) => console.log(own.size, changes[0].item.id)));
tree.findMismatches({ digests: (paths) => paths.map((path) => tree.digest(path)) }).then((cells: Mismatch[]) => console.log(cells[0].changes?.length));
// @ts-expect-error a digest has a fingerprint
tree.findMismatches({ digests: (paths) => paths.map(() => ({ size: 0 })) });

// Options and members may be undefined, even if the compiler treats missing ones differently.
const perhaps: number | undefined = Math.random() > 0.5 ? 5 : undefined, flag: boolean | undefined = perhaps === 5;
const either: readonly Item[] | Float64Array = perhaps === 5 ? [item] : new Float64Array(4);
new PersistentTree({ bounds: area, leafCapacity: perhaps, uniqueIds: flag }).nearest(0, 0, perhaps, perhaps);
PersistentTree.of(either, { maxDepth: perhaps }).load(either).removeAll(either).edit((draft) => draft.load(either).removeAll(either));
const capacity: number = tree.toJSON().leafCapacity;
world.add({ id: 1, x: 0, y: 0, radius: 1, vx: perhaps, fixed: flag }).step(1, { damping: perhaps, gravity: { x: perhaps } });
new History(world, { maxEntries: perhaps }).push(world, { time: perhaps, keepEqual: flag });
console.log(capacity, world.crossings(world, { region, x: perhaps }).length);
setMemoryLimit(2 ** 30);
const shared: number = exclusiveBytes(tree, tree) + cells(world).boxes.length;
console.log(shared);
// @ts-expect-error the versions have different kinds
exclusiveBytes(tree, region);
// @ts-expect-error the version is of another kind
history.push(tree);
