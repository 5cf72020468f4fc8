-- An attempt counts when it begins, so a delivery on which processes die ends with its attempts; `abandoned` is not
-- written any more. The index finds the deliveries that are pending for each receiver, the longest due first.
alter index webhook_delivery_line rename to webhook_delivery_pending;
