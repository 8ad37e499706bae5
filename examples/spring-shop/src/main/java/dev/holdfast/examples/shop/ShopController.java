package dev.holdfast.examples.shop;

import dev.holdfast.HoldfastException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What customers see. */
@RestController
public class ShopController {
    private final Shop shop;

    ShopController(Shop shop) {
        this.shop = shop;
    }

    /**
     * Orders one piece.
     *
     * @param item what
     * @param customer who
     * @return 200 if it was sold, 410 if there is none left
     */
    @PostMapping("/orders")
    public ResponseEntity<String> order(@RequestParam String item, @RequestParam String customer) {
        return shop.sell(item, customer, 0)
                ? ResponseEntity.ok("sold")
                : ResponseEntity.status(HttpStatus.GONE).body("sold out");
    }

    /** Contended, lost, refused or no answer of the store: nothing was sold. */
    @ExceptionHandler
    ResponseEntity<String> notSold(HoldfastException failure) {
        return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
                .body(failure.getClass().getSimpleName() + ": " + failure.getMessage());
    }
}
