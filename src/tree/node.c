/* SPDX-License-Identifier: MIT */
/* node.c: reads nodes and leaves: their children, their items and their quantised boxes. */
#include "config.h"

#include "tree/node.h"

#include <math.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/simd.h"
#include "tree/leaf_cover.h"

pqti_qbox
pqti_quadrants_qbox(const pqti_inner *node)
{
    pqti_qbox qbox = PQTI_EMPTY_QBOX;
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        qbox = pqti_qbox_union(qbox, pqti_quadrant_ref(node, i).qbox);
    return qbox;
}

pqti_qbox
pqti_own_qbox(const pqti_domain *domain, pqti_level level, const pqti_node_ref *own)
{
    if (own->count == 0)
        return PQTI_EMPTY_QBOX;
    return own->leaf ? pqti_leaf_qbox(domain, level, own->at, own->count)
                     : pqti_quadrants_qbox(own->at);
}

void
pqti_child_refs(const pqti_domain *domain, pqti_level level, const pqti_node_ref *ref,
                pqti_node_ref children[PQTI_CHILDREN])
{
    const pqti_inner *node = ref->at;
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        children[i] = pqti_quadrant_ref(node, i);
    pqti_node_ref own = pqti_own_ref(node, ref->count);
    own.qbox = pqti_own_qbox(domain, pqti_child_level(domain, level, PQTI_OWN_ITEMS), &own);
    children[PQTI_OWN_ITEMS] = own;
}

pqti_node_ref
pqti_first_child(pqti_node_ref ref)
{
    const pqti_inner *node = ref.at;
    int i = 0;
    if (pqti_own_count(node, ref.count) > 0)
        return pqti_own_ref(node, ref.count);
    while (node->count[i] == 0)
        i++;
    return pqti_quadrant_ref(node, i);
}

pqti_node_ref
pqti_last_child(pqti_node_ref ref)
{
    const pqti_inner *node = ref.at;
    int i = PQTI_QUADRANTS - 1;
    while (i >= 0 && node->count[i] == 0)
        i--;
    return pqti_child_ref(node, ref.count, i < 0 ? PQTI_OWN_ITEMS : i);
}

pqt_item
pqti_first_item(pqti_node_ref ref)
{
    PQTI_DEBUG_ASSERT(ref.count > 0, "an empty subtree has no first item");
    while (!ref.leaf)
        ref = pqti_first_child(ref);
    return pqti_view_item(pqti_view(ref.at, ref.count), 0);
}

pqt_item
pqti_last_item(pqti_node_ref ref)
{
    PQTI_DEBUG_ASSERT(ref.count > 0, "an empty subtree has no last item");
    while (!ref.leaf)
        ref = pqti_last_child(ref);
    return pqti_view_item(pqti_view(ref.at, ref.count), ref.count - 1);
}

pqt_fingerprint
pqti_node_ref_fingerprint(pqti_node_ref ref)
{
    pqt_fingerprint fingerprint = {0, 0};
    if (ref.at == NULL)
        return fingerprint;
    if (!ref.leaf)
        return ((const pqti_inner *)ref.at)->fingerprint;
    pqti_leaf_view view = pqti_view(ref.at, ref.count);
    for (uint32_t i = 0; i < ref.count; i++) {
        pqt_item item = pqti_view_item(view, i);
        fingerprint = pqti_fingerprint_add(fingerprint, pqti_item_fingerprint(&item));
    }
    return fingerprint;
}

void
pqti_each_item(pqti_node_ref ref, pqt_visit_fn *visit, void *context)
{
    if (ref.at == NULL)
        return;
    if (ref.leaf) {
        pqti_leaf_view view = pqti_view(ref.at, ref.count);
        for (uint32_t i = 0; i < ref.count; i++) {
            pqt_item item = pqti_view_item(view, i);
            (void)visit(&item, context);
        }
        return;
    }
    const pqti_inner *node = ref.at;
    pqti_each_item(pqti_own_ref(node, ref.count), visit, context);
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        pqti_each_item(pqti_quadrant_ref(node, i), visit, context);
}

pqt_item *
pqti_collect_items(pqti_node_ref ref, pqt_item *items)
{
    if (ref.at == NULL)
        return items;
    if (ref.leaf) {
        pqti_leaf_view view = pqti_view(ref.at, ref.count);
        for (uint32_t i = 0; i < ref.count; i++)
            *items++ = pqti_view_item(view, i);
        return items;
    }
    const pqti_inner *node = ref.at;
    pqti_prefetch_leaves(node);
    items = pqti_collect_items(pqti_own_ref(node, ref.count), items);
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        items = pqti_collect_items(pqti_quadrant_ref(node, i), items);
    return items;
}

void
pqti_prefetch_leaves(const pqti_inner *node)
{
    for (int i = 0; i < PQTI_QUADRANTS; i++) {
        pqti_node_ref quadrant = pqti_quadrant_ref(node, i);
        if (quadrant.leaf)
            pqti_prefetch_bytes(quadrant.at, 0, pqti_leaf_size(quadrant.count));
    }
}

pqti_qbox
pqti_leaf_qbox(const pqti_domain *domain, pqti_level level, const void *leaf, size_t count)
{
    PQTI_DEBUG_ASSERT(count > 0, "a leaf is empty");
    const pqti_leaf_view view = pqti_view(leaf, count);
    const pqt_box last = pqti_view_item(view, count - 1).box;
    cover all = empty_cover();
    for (size_t i = 0; i + 2 <= count; i += 2)
        extend_qbox_by_two(&all, pqti_f64x2_load(view.min_x + i), pqti_f64x2_load(view.min_y + i),
                           pqti_f64x2_load(view.max_x + i), pqti_f64x2_load(view.max_y + i));
    cover_box(&all, &last);
    return qbox_of_cover(domain, level, &all);
}
